// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.metrics;

import java.util.List;

/** Writes {@code docs/metrics.md} from the tables of metrics. */
public final class MetricsDoc {
  private MetricsDoc() {}

  /**
   * The whole page.
   *
   * @return Markdown, lines ended by {@code \n}
   */
  public static String markdown() {
    return """
    # Metrics

    <!-- Written from the tables in io.symshuffle.plugin.metrics; a test compares. Do not edit. -->

    SymShuffle publishes these through Spark's own metrics system, so they go wherever
    `spark.metrics.conf` sends the others. Spark puts the application, the executor and
    `plugin.io.symshuffle.SymShufflePlugin.` before each name. All are whole numbers; `heap.*`,
    `device.*` and `pes.*` are as of now, the others count from the start of the process.

    ## Executors

    %s
    ## Driver

    %s\
    """
        .formatted(table(ExecutorMetrics.all()), table(DriverMetrics.all()));
  }

  private static <S> String table(List<Metric<S>> metrics) {
    StringBuilder table = new StringBuilder("| metric | counts |\n| --- | --- |\n");
    for (Metric<S> metric : metrics) {
      table.append("| `%s` | %s |\n".formatted(metric.name(), metric.documentation()));
    }
    return table.toString();
  }
}
