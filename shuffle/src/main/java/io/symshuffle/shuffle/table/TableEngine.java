// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.kernel.HashedTable;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * The columnar engine that creates packed tables, as far as a shuffle needs it. Its batches,
 * buffers and tables have the engine's types, which only implementations know.
 *
 * <p>Methods may be called from any task thread. The engine queues the work of a thread on the CUDA
 * stream {@link #streamHandle} of that thread.
 */
public interface TableEngine {
  /** Whether the records of a shuffle are packed tables on the GPU. */
  boolean isTableShuffle(ShuffleDependency<?, ?, ?> dependency);

  /** The types of the columns of a table shuffle. */
  DataType[] types(ShuffleDependency<?, ?, ?> dependency);

  /** Adds to the data size of a shuffle, in bytes, which adaptive execution uses. */
  void addDataSize(ShuffleDependency<?, ?, ?> dependency, long bytes);

  /**
   * Returns the packed table of a record's batch. The caller closes it.
   *
   * @return empty for a batch without rows
   * @throws IllegalStateException if the batch is not one packed table
   */
  Optional<PackedTable> packed(ColumnarBatch batch);

  /**
   * Says why the engine cannot use a table that another executor has described.
   *
   * @param part the table; its data need not be there yet
   * @return what is wrong in its metadata, without a period; empty if the engine can use the table
   */
  Optional<String> problem(TablePart part, long rows, int columns);

  /** Returns why rows with columns of these types cannot be hashed; empty if they can. */
  Optional<String> reasonNotToHash(DataType[] types);

  /**
   * Returns why rows with columns of these types, which can be hashed, should be only if the user
   * wants it; empty for others.
   */
  Optional<String> reasonNotToHashByDefault(DataType[] types);

  /** Makes the engine hand over its shuffle data in host memory from now on; does not throw. */
  void returnToHost();

  /**
   * Describes tables to the kernel of {@link io.symshuffle.kernel.Kernels#rowHashes}, whose sum is
   * that of {@link #sumOfRowHashes}.
   *
   * @return empty if the kernel cannot hash all of them
   */
  Optional<List<HashedTable>> hashedTables(List<SeededTable> tables);

  /**
   * Hashes rows on the GPU with the engine's functions, and waits for the result.
   *
   * @param tables at least 1, with columns of types that can be hashed
   * @return the sum of the hashes of all rows, modulo 2^64
   */
  long sumOfRowHashes(List<SeededTable> tables);

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
   * Combines packed tables into one batch, in their order. The batch either has separate memory or
   * shares the buffer's.
   *
   * @param parts the tables, at least 1, each with columns
   * @param buffer the buffer that contains those that are not in the device heap; empty if all are
   */
  ColumnarBatch unpack(List<TablePart> parts, Optional<EngineBuffer> buffer, DataType[] types);

  /**
   * Describes the concatenation of tables to the kernel of {@link
   * io.symshuffle.kernel.Kernels#concat}, whose result is one packed table.
   *
   * @param parts as for {@link #unpack}, at least 2
   * @param arena has the description of the result
   * @return empty if the kernel cannot concatenate them, or the engine is as fast
   */
  Optional<TableConcat> concatenation(List<TablePart> parts, Arena arena);

  /** The target size of an output batch, in bytes. */
  long targetBatchBytes();
}
