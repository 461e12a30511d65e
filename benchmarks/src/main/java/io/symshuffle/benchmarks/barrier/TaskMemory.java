// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.barrier;

import io.symshuffle.cuda.CudaStream;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** The memory of a task, and collectives of all tasks of its stage on floats in it. */
interface TaskMemory extends AutoCloseable {
  /** Returns its number, by which blocks are ordered. */
  int pe();

  int peCount();

  /** Sums the first floats of all PEs. */
  void allReduce(long count);

  /** Gets block n of PE n. */
  void allGather(long blockBytes);

  /** Sends block n to PE n. The received blocks follow those to send. */
  void allToAll(long blockBytes);

  /** Returns the stream where collectives are only queued; empty if they return when done. */
  default Optional<CudaStream> queue() {
    return Optional.empty();
  }

  /** Runs what calls collectives, on the thread for that. */
  default void call(Runnable collectives) {
    collectives.run();
  }

  /** Copies to the memory, and waits for it. */
  void write(long offset, MemorySegment from);

  /** Copies from the memory, and waits for it. */
  void read(long offset, MemorySegment to);

  @Override
  void close();
}
