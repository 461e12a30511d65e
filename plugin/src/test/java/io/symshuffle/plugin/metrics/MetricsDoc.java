// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.metrics;

import java.util.List;

/** Generates {@code docs/metrics.md} from the tables of metrics. */
final class MetricsDoc {
  private MetricsDoc() {}

  /** {@return the page as Markdown} */
  static String markdown() {
    return """
    # Metrics

    <!-- Generated from io.symshuffle.plugin.metrics by MetricsDocTest. Do not edit. -->

    SymShuffle publishes these metrics through Spark's metrics system, to the sinks that
    `spark.metrics.conf` configures. Spark prefixes each name with the application, the executor and
    `plugin.io.symshuffle.SymShufflePlugin.`. All values are integers; `heap.*`, `device.*` and
    `pes.*` are current values, the others count from the start of the process.

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
