// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.alltoall;

import io.symshuffle.cuda.CudaStream;

/**
 * One way to do an all-to-all: block i of each PE's send buffer becomes block (that PE) of PE i's
 * receive buffer.
 */
interface Exchange extends AutoCloseable {

  /** {@return its name in the report} */
  String name();

  /**
   * Prepares exchanges of some size; the one before is done.
   *
   * @param bytes bytes that each PE sends in all, its own block included
   */
  void prepare(long bytes);

  /** {@return CTAs that it runs with; 0 when it needs none, or does not say} */
  default int ctas() {
    return 0;
  }

  /** Queues exchanges, one after the other. */
  void queue(CudaStream stream, int times) throws Exception;

  /** Looks at what the device reported, once they are done. */
  default void check(CudaStream stream) throws Exception {}

  @Override
  default void close() {}
}
