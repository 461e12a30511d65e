// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.measure.Statistics;
import io.symshuffle.benchmarks.report.Figures;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;

/** Says what the results of queries mean for the jobs of the reader. */
final class Meaning {
  /** With fewer queries, halves say nothing. */
  private static final int FEWEST = 6;

  private final List<Result> results;
  private final int manager;
  private final String name;

  private Meaning(Report report) {
    this.manager = report.managers().size() - 1;
    this.name = report.managers().getLast();
    this.results =
        report.results().stream()
            .filter(result -> result.outcome().succeeded())
            .sorted(Comparator.comparingDouble(Meaning::intensity).reversed())
            .toList();
  }

  /** Returns sentences; none if there are too few queries, or no second manager. */
  static List<String> sentences(Report report) {
    Meaning meaning = new Meaning(report);
    return meaning.manager == 0
            || meaning.results.size() < FEWEST
            || report.plan().isOfCases()
            || !report.plan().rates().isEmpty()
        ? List.of()
        : meaning.sentences();
  }

  private List<String> sentences() {
    List<Result> most = results.subList(0, results.size() / 2);
    List<Result> rest = results.subList(results.size() / 2, results.size());
    List<String> sentences = new ArrayList<>();
    sentences.add(
        "Queries whose tasks shuffle more gain more. Those that shuffle at least %s per second of task time (%d of %d) ran %s times as fast with %s, the others %s times."
            .formatted(
                Figures.bytes(Math.round(intensity(most.getLast()))),
                most.size(),
                results.size(),
                speedUp(most),
                name,
                speedUp(rest)));
    sentences.add(
        "For your own job, divide \"Shuffle Write\" by \"Total Time Across All Tasks\" of its"
            + " stages in Spark's UI. Or let the event log of a run with sort shuffle tell what"
            + " each query would gain: bin/symshuffle tune --event-log PATH");
    return sentences;
  }

  private String speedUp(List<Result> of) {
    return Figures.ratio(
        OptionalDouble.of(
            Statistics.geometricMean(
                of.stream()
                    .map(result -> result.outcome().speedUp(manager).orElseThrow())
                    .toList())));
  }

  /** Bytes that the tasks of the baseline wrote to its shuffles for each second that they ran. */
  private static double intensity(Result result) {
    Entry baseline = result.outcome().entries().getFirst();
    return baseline.figures().bytesWritten() / Math.max(1e-3, baseline.figures().runSeconds());
  }
}
