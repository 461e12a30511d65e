// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab;

import java.util.List;

/**
 * One method at one size, over all PEs.
 *
 * @param bytes bytes of each PE's data, its own block included
 * @param microseconds device time of one exchange on each PE (on shm: elapsed time)
 * @param algorithmGBps bytes per second of the slowest PE, in GB/s
 * @param busGBps bytes per second that must leave each PE, in GB/s
 * @param ctas CTAs; 0 when it uses none or they are unknown
 * @param right whether every PE received the right data
 */
record Measurement(
    String method,
    long bytes,
    List<Double> microseconds,
    double algorithmGBps,
    double busGBps,
    int ctas,
    boolean right) {

  static Measurement of(
      String method, long bytes, List<Double> microseconds, int ctas, boolean right) {
    double algorithm = bytes / slowest(microseconds) / 1e3;
    return new Measurement(
        method,
        bytes,
        microseconds,
        algorithm,
        algorithm * (microseconds.size() - 1) / microseconds.size(),
        ctas,
        right);
  }

  /** Returns the time of the slowest PE. */
  double slowest() {
    return slowest(microseconds);
  }

  private static double slowest(List<Double> microseconds) {
    return microseconds.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
  }
}
