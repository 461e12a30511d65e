// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.shuffle.read.InPlaceAccess;
import java.util.function.Supplier;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Assembles the batches of one reduce task, on whichever thread asks for them.
 *
 * <p>The task's own thread has one assembler, and the task's end waits for what the GPU still reads
 * for it. On any other thread the task cannot end while a batch is assembled, up to the end of the
 * engine's concatenation, which that thread's stream runs. See {@link InPlaceAccess}.
 */
final class TaskBatches implements AutoCloseable {
  private final InPlaceAccess access;
  private final Supplier<BatchAssembler> assemblers;

  /** Of the task's own thread; null until it is needed. */
  private BatchAssembler own;

  /** Whether the GPU did not finish the work of another thread in time. */
  private volatile boolean late;

  /**
   * @param assemblers creates an assembler for the calling thread
   */
  TaskBatches(InPlaceAccess access, Supplier<BatchAssembler> assemblers) {
    this.access = access;
    this.assemblers = assemblers;
  }

  /**
   * Assembles a batch and counts its data; may be called again for the same batch after it threw an
   * exception.
   *
   * @throws IllegalStateException if the task has ended, and this is not its thread
   */
  ColumnarBatch assemble(TableBatch batch) {
    if (!access.isDirect()) {
      return access.runBeforeEnd(() -> assembleAndWait(batch));
    }
    if (own == null) {
      own = assemblers.get();
    }
    ColumnarBatch result = own.assemble(batch);
    own.count(batch);
    return result;
  }

  private ColumnarBatch assembleAndWait(TableBatch batch) {
    try (BatchAssembler other = assemblers.get()) {
      ColumnarBatch result = null;
      boolean settled;
      try {
        result = other.assemble(batch);
      } finally {
        settled = other.settle();
        late |= !settled;
      }
      if (!settled) {
        result.close();
        throw new IllegalStateException(
            "the GPU did not finish a batch of %d tables that thread %s reads"
                .formatted(batch.sources().size(), Thread.currentThread().getName()));
      }
      other.count(batch);
      return result;
    }
  }

  /**
   * Waits until no table in the device heap is read anymore; called on the task's own thread when
   * the task ends, after the access has ended.
   *
   * @return false if the GPU may still read them
   */
  boolean settle() {
    return (own == null || own.settle()) && !late;
  }

  @Override
  public void close() {
    if (own != null) {
      own.close();
    }
  }
}
