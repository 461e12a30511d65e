// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.shuffle;

import io.symshuffle.benchmarks.workload.ShuffleCase;
import java.util.stream.Collectors;

/** The report of the shuffle benchmark as Markdown, to be kept with the code. */
final class ShuffleMarkdown {
  private ShuffleMarkdown() {}

  static String of(ShuffleReport report) {
    ShuffleTable table = new ShuffleTable(report.managers());
    report.results().forEach(table::add);
    String cases =
        report.results().stream()
            .map(ShuffleResult::job)
            .distinct()
            .map(ShuffleCase::named)
            .map(job -> "- `" + job.label() + "`: " + job.description() + "\n")
            .collect(Collectors.joining());
    String facts =
        report.info().facts().entrySet().stream()
            .filter(fact -> !fact.getValue().isEmpty())
            .map(fact -> "- " + fact.getKey() + ": " + fact.getValue() + "\n")
            .collect(Collectors.joining());
    return """
    # Shuffle-bound jobs

    Seconds are medians of %d timed runs, managers in turn. `base` is the same job without its
    exchange; the time above it is the cost of the shuffle. The speed-up is end to end.

    %s%s
    Cases:

    %s
    Where and how:

    %s\
    """
        .formatted(
            report.runs(),
            report.note().isEmpty() ? "" : report.note() + "\n\n",
            table.markdown(),
            cases,
            facts);
  }
}
