// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import java.util.Map;

/**
 * How long queries take with sort shuffle and SymShuffle together on 2 idle cores, for estimates.
 * The first run takes longer, because the JVMs load and compile classes; it hardly depends on the
 * scale.
 */
public final class QuerySeconds {
  /** What each run takes whatever the scale. */
  private static final double EACH = 0.9;

  /**
   * What a first run takes more.
   *
   * @param first in seconds
   * @param perScale seconds of each run for each unit of the scale factor
   */
  private record Cost(double first, double perScale) {}

  private static final Map<String, Cost> TPCH =
      Map.ofEntries(
          Map.entry("q1", new Cost(16, 5.9)),
          Map.entry("q2", new Cost(7, 4.6)),
          Map.entry("q3", new Cost(4.5, 3.3)),
          Map.entry("q4", new Cost(4, 2.6)),
          Map.entry("q5", new Cost(5, 6.4)),
          Map.entry("q6", new Cost(2, 0.2)),
          Map.entry("q7", new Cost(4.5, 4.4)),
          Map.entry("q8", new Cost(5.5, 3.1)),
          Map.entry("q9", new Cost(5.5, 5.7)),
          Map.entry("q10", new Cost(3.5, 3.1)),
          Map.entry("q11", new Cost(3, 1.2)),
          Map.entry("q12", new Cost(3, 1.9)),
          Map.entry("q13", new Cost(3, 2.7)),
          Map.entry("q14", new Cost(2.5, 0.6)),
          Map.entry("q15", new Cost(3, 1.7)),
          Map.entry("q16", new Cost(3.5, 1.4)),
          Map.entry("q17", new Cost(3, 4.8)),
          Map.entry("q18", new Cost(3.5, 7.6)),
          Map.entry("q19", new Cost(3, 1)),
          Map.entry("q20", new Cost(3, 1.8)),
          Map.entry("q21", new Cost(4, 6.7)),
          Map.entry("q22", new Cost(3, 1.5)));

  private QuerySeconds() {}

  /**
   * Estimates the time of a query.
   *
   * @param runs number of runs with each shuffle, the first of which starts cold
   * @return 0 if nothing is known of the suite
   */
  public static double of(Suite suite, String query, double scale, int runs) {
    if (!suite.equals(Suite.TPCH)) {
      return 0;
    }
    Cost cost = TPCH.get(query);
    return cost.first() + runs * (EACH + scale * cost.perScale());
  }
}
