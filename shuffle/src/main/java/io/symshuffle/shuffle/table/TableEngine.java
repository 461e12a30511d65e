// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.CudaContext;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * What a shuffle of packed tables needs of the columnar engine that made them. Its batches, buffers
 * and tables are the engine's own; only this interface knows their types.
 *
 * <p>Methods may be called from any task thread. Work that the engine queues for a thread is
 * ordered on the CUDA stream {@link #streamHandle} of that thread.
 */
public interface TableEngine {
  /** Whether the records of a shuffle are packed tables on the GPU. */
  boolean isTableShuffle(ShuffleDependency<?, ?, ?> dependency);

  /** The types of the columns of a table shuffle. */
  DataType[] types(ShuffleDependency<?, ?, ?> dependency);

  /** Adds to the size of a shuffle's data that adaptive execution decides by, in bytes. */
  void countData(ShuffleDependency<?, ?, ?> dependency, long bytes);

  /**
   * A packed table out of a record's batch. The caller closes it.
   *
   * @return empty for a batch without rows
   * @throws IllegalStateException if the batch has anything else than one packed table
   */
  Optional<PackedTable> packed(ColumnarBatch batch);

  /** The primary context of the engine's GPU, current on this thread afterwards. */
  CudaContext context();

  /** The CUstream on which the engine's work of the calling thread is ordered. */
  long streamHandle();

  /** Waits until the task may use the GPU. */
  void enter(TaskContext task);

  /**
   * Runs an attempt under the engine's rules for lack of GPU memory: it may be run several times,
   * the engine having spilled or paused in between. An attempt that throws leaves nothing behind.
   */
  <T> T retrying(Supplier<T> attempt);

  /**
   * Takes memory out of the engine's pool.
   *
   * @param bytes more than 0
   */
  EngineBuffer allocate(long bytes);

  /**
   * Makes one batch of packed tables, in their order. The batch has memory of its own or shares the
   * buffer's.
   *
   * @param parts the tables, 1 or more; each with columns
   * @param buffer where those lie that are not in the device heap; empty if all are
   */
  ColumnarBatch unpack(List<TablePart> parts, Optional<EngineBuffer> buffer, DataType[] types);

  /** How large an output batch should become, in bytes. */
  long targetBatchBytes();
}
