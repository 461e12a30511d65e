// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.alltoall;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;

/**
 * One method at one size, over all PEs.
 *
 * @param method its name
 * @param bytes total bytes that each PE sends, including its own block
 * @param microseconds device time of one exchange on each PE (on shm: elapsed time)
 * @param ctas CTAs; 0 when it uses none or they are unknown
 * @param right whether every PE received the right data
 */
@JsonPropertyOrder({"method", "bytes", "microseconds", "algorithmGBps", "busGBps"})
record Measurement(String method, long bytes, List<Double> microseconds, int ctas, boolean right) {

  Measurement {
    microseconds = List.copyOf(microseconds);
  }

  /** Returns the time of the slowest PE. */
  double slowest() {
    return microseconds.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
  }

  /** Returns the exchanged bytes per second, in GB/s. */
  @JsonProperty("algorithmGBps")
  double algorithmBandwidth() {
    return bytes / slowest() / 1e3;
  }

  /** Returns the bytes per second that leave each PE, in GB/s: without the block that it keeps. */
  @JsonProperty("busGBps")
  double busBandwidth() {
    return algorithmBandwidth() * (microseconds.size() - 1) / microseconds.size();
  }
}
