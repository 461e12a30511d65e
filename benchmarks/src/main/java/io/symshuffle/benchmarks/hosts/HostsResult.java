// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.hosts;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.measure.Statistics;
import java.util.List;

/**
 * A job on links of one rate, on all managers.
 *
 * @param rate rate of each link, such as {@code 300mbit}, or {@code none} for no limit
 * @param job name of the case or query
 * @param rows number of input rows; 0 for a query
 * @param outcome seconds and result
 * @param costs what the timed runs of each manager took apart from seconds, in the same order
 */
record HostsResult(String rate, String job, long rows, Outcome outcome, List<Cost> costs) {
  /** Copies the list. */
  HostsResult {
    costs = List.copyOf(costs);
  }

  /**
   * What the timed runs of a manager took.
   *
   * @param sentBytes bytes that the hosts sent in each run
   * @param cpuSeconds CPU time of the executors in each run
   */
  record Cost(List<Long> sentBytes, List<Double> cpuSeconds) {
    /** Copies the lists. */
    Cost {
      sentBytes = List.copyOf(sentBytes);
      cpuSeconds = List.copyOf(cpuSeconds);
    }

    /** The median of the bytes; NaN without runs. */
    @JsonProperty
    double medianSentBytes() {
      return median(sentBytes.stream().map(Long::doubleValue).toList());
    }

    /** The median of the CPU time; NaN without runs. */
    @JsonProperty
    double medianCpuSeconds() {
      return median(cpuSeconds);
    }

    private static double median(List<Double> values) {
      return values.isEmpty() ? Double.NaN : Statistics.median(values);
    }
  }
}
