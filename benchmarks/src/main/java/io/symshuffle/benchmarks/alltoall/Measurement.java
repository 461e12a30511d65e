// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.alltoall;

import java.util.List;

/**
 * One method at one size, over all PEs.
 *
 * @param method its name
 * @param bytes bytes that each PE sends in all, its own block included
 * @param microseconds of each PE, device time of one exchange (on shm: time)
 * @param ctas CTAs; 0 when it needs none or does not say
 * @param right whether every PE received what it should
 */
record Measurement(String method, long bytes, List<Double> microseconds, int ctas, boolean right) {

  Measurement {
    microseconds = List.copyOf(microseconds);
  }

  /** Of the slowest PE. */
  double slowest() {
    return microseconds.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
  }

  /** Bytes exchanged a second, in GB/s. */
  double algorithmBandwidth() {
    return bytes / slowest() / 1e3;
  }

  /** Bytes that left each PE a second, in GB/s: without the block that it keeps. */
  double busBandwidth() {
    return algorithmBandwidth() * (microseconds.size() - 1) / microseconds.size();
  }
}
