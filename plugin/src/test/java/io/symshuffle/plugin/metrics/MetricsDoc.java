// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.metrics;

import java.util.List;
import java.util.Locale;

/** Generates the tables of metrics in {@code docs/operations.md}. */
final class MetricsDoc {
  private MetricsDoc() {}

  /** Returns the part of the page as Markdown. */
  static String markdown() {
    return """

    <!-- Generated from io.symshuffle.plugin.metrics by MetricsDocTest. Do not edit. -->

    SymShuffle publishes these metrics through Spark's metrics system. Spark prefixes each name with
    the application, the executor and `plugin.io.symshuffle.SymShufflePlugin.`. All values are
    integers. Counters only grow, from 0 at the start of the process; the others are gauges.

    Of each executor:

    %s
    Of the driver, with totals of what executors last reported:

    %s
    """
        .formatted(table(ExecutorMetrics.all()), table(DriverMetrics.all()));
  }

  private static <S> String table(List<Metric<S>> metrics) {
    StringBuilder table = new StringBuilder();
    for (Metric.Kind kind : Metric.Kind.values()) {
      table.append("| %s | |\n| --- | --- |\n".formatted(kind.name().toLowerCase(Locale.ROOT)));
      for (Metric<S> metric : metrics) {
        if (metric.kind() == kind) {
          table.append("| `%s` | %s |\n".formatted(metric.name(), metric.documentation()));
        }
      }
      table.append('\n');
    }
    return table.toString();
  }
}
