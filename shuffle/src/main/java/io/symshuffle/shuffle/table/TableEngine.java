// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.kernel.TableSchema;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.collection.Iterator;

/**
 * The columnar engine whose batches a shuffle moves, as far as the shuffle needs it. Its batches
 * and buffers have the engine's types, which only implementations know. The engine serializes
 * tables in Kudo's format for GPUs, see {@link io.symshuffle.kernel.SerializedTable}.
 *
 * <p>Methods may be called from any task thread. The engine queues the work of a thread on the CUDA
 * stream {@link #streamHandle} of that thread.
 */
public interface TableEngine {
  /** Whether the records of a shuffle are tables on the GPU. */
  boolean isTableShuffle(ShuffleDependency<?, ?, ?> dependency);

  /** The types of the columns of a table shuffle. */
  DataType[] types(ShuffleDependency<?, ?, ?> dependency);

  /** Adds to the data size of a shuffle, in bytes, which adaptive execution uses. */
  void addDataSize(ShuffleDependency<?, ?, ?> dependency, long bytes);

  /**
   * Makes the engine split each input batch of a map task into one buffer, if it can. Called before
   * the first record is taken.
   *
   * @param records what the engine passes to the shuffle writer
   * @param types the types of the columns
   * @param hashRows whether rows are hashed, see {@link #split}
   */
  void splitWhole(Iterator<?> records, DataType[] types, boolean hashRows);

  /**
   * Returns the rows that a record of a map task brings. The caller closes them, before it takes
   * the next record.
   *
   * @param partition the record's partition
   * @param types the types of the columns
   * @param hashRows whether to compute the sum of the hashes of all rows: the hash of a row is that
   *     of Spark's function {@code xxhash64} over the number of its partition, as an int, and all
   *     columns. It depends neither on the order of the rows nor on how they are divided into
   *     batches.
   * @return empty if the record has no rows, or those that an earlier one has brought
   * @throws IllegalStateException if the engine has passed rows in another form
   */
  Optional<SplitBatch> split(
      int partition, ColumnarBatch batch, DataType[] types, boolean hashRows);

  /** The columns of serialized tables with these types, in the order in which they are in them. */
  TableSchema schema(DataType[] types);

  /** Returns why rows with columns of these types cannot be hashed; empty if they can. */
  Optional<String> reasonNotToHash(DataType[] types);

  /**
   * Returns why rows with columns of these types, which can be hashed, should be only if the user
   * wants it; empty for others.
   */
  Optional<String> reasonNotToHashByDefault(DataType[] types);

  /** Makes the engine hand over its shuffle data in host memory from now on; does not throw. */
  void returnToHost();

  /** Returns the primary context of the engine's GPU and makes it current on this thread. */
  CudaContext context();

  /** The CUstream on which the engine queues the work of the calling thread. */
  long streamHandle();

  /** Waits until the task may use the GPU. */
  void acquireGpu(TaskContext task);

  /**
   * Runs an attempt with the engine's retries when GPU memory is exhausted: the engine may spill or
   * wait, then run the attempt again. An attempt that throws must release everything it has
   * allocated.
   */
  <T> T withRetry(Supplier<T> attempt);

  /**
   * Allocates memory from the engine's pool.
   *
   * @param bytes more than 0
   */
  EngineBuffer allocate(long bytes);

  /**
   * Assembles serialized tables into one batch with its own memory, in their order. The engine
   * trusts what it reads.
   *
   * @param buffer has the tables from its start on, and then, from {@code dataBytes} on, the offset
   *     of each table and of the end: u64[tables + 1]
   * @param dataBytes a multiple of 8
   * @param tables number of tables, at least 1
   */
  ColumnarBatch assemble(EngineBuffer buffer, long dataBytes, int tables, DataType[] types);

  /** The target size of an output batch, in bytes. */
  long targetBatchBytes();
}
