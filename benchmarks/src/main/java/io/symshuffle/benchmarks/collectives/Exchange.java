// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.collectives;

import io.symshuffle.cuda.CudaStream;

/**
 * An implementation of an all-to-all, in which block i of each PE's data becomes block (that PE) of
 * PE i's. All PEs queue it the same number of times.
 */
interface Exchange extends AutoCloseable {

  /** Returns its name in the report. */
  String name();

  /**
   * Prepares exchanges of some size, once earlier exchanges are done.
   *
   * @param bytes bytes of each PE's data, its own block included
   */
  void prepare(long bytes);

  /** Queues exchanges, one after the other. */
  void queue(CudaStream stream, int times);

  /** Checks the device's status once the exchanges are done. */
  default void check(CudaStream stream) throws Exception {}

  @Override
  default void close() {}
}
