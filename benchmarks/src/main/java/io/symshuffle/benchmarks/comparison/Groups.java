// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import io.symshuffle.benchmarks.measure.Gain;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The results of a comparison by the bytes that the baseline shuffles. */
final class Groups {
  /** Bytes that the baseline writes to its shuffles in a run. */
  enum Size {
    MUCH("100 MB and more"),
    SOME("10 to 100 MB"),
    LITTLE("less than 10 MB");

    private static final double MB = 1e6;

    final String text;

    Size(String text) {
      this.text = text;
    }

    static Size of(Result result) {
      long bytes = result.outcome().entries().getFirst().figures().bytesWritten();
      return bytes >= 100 * MB ? MUCH : bytes >= 10 * MB ? SOME : LITTLE;
    }
  }

  static final String YOUR_JOB =
      "What would your own job gain? The event log of a run with sort shuffle tells it for each"
          + " query: bin/symshuffle tune --event-log PATH";

  private Groups() {}

  /** Returns the results of a size. */
  static List<Result> of(List<Result> results, Size size) {
    return results.stream().filter(result -> Size.of(result) == size).toList();
  }

  /** Returns the gain of a result, whose scatter is that of all results of its size. */
  static Optional<Gain> gain(List<Result> results, Result result, int manager) {
    return result
        .outcome()
        .runs(manager)
        .map(runs -> Gain.of(List.of(runs), runs(of(results, Size.of(result)), manager)));
  }

  /** Returns the gain of several results; empty if there is none. */
  static Optional<Gain> gain(List<Result> results, int manager) {
    List<Gain.Runs> runs = runs(results, manager);
    return runs.isEmpty() ? Optional.empty() : Optional.of(Gain.of(runs, runs));
  }

  private static List<Gain.Runs> runs(List<Result> results, int manager) {
    return results.stream().flatMap(result -> result.outcome().runs(manager).stream()).toList();
  }

  /** Describes the gains of the results of a size with each manager; empty if there are none. */
  static Optional<String> sentence(Report report, Size size) {
    List<Result> of = of(report.results(), size);
    String gains =
        report
            .others()
            .mapToObj(
                manager ->
                    gain(of, manager)
                        .map(
                            gain ->
                                "with %s: %s"
                                    .formatted(report.managers().get(manager), gain.sentence())))
            .flatMap(Optional::stream)
            .collect(Collectors.joining("; "));
    return gains.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "%s %s %s, %s"
                .formatted(
                    report.plan().count(of.size()),
                    of.size() == 1 ? "that shuffles" : "that shuffle",
                    size.text,
                    gains));
  }

  /**
   * Says what the groups mean for the jobs of the reader: whether those that shuffle more gain
   * more, only if that is beyond the scatter. Nothing on several rates, and without a manager to
   * compare.
   */
  static List<String> sentences(Report report) {
    if (!report.plan().rates().isEmpty()) {
      return List.of();
    }
    return Stream.concat(
            Stream.of(Size.values()).map(size -> sentence(report, size)),
            report.others().mapToObj(manager -> ofMoreBytes(report, manager)))
        .flatMap(Optional::stream)
        .toList();
  }

  private static Optional<String> ofMoreBytes(Report report, int manager) {
    List<Size> sizes =
        Stream.of(Size.values())
            .filter(size -> gain(of(report.results(), size), manager).isPresent())
            .toList();
    if (sizes.size() < 2) {
      return Optional.empty();
    }
    Size most = sizes.getFirst();
    Size least = sizes.getLast();
    Gain more =
        gain(of(report.results(), most), manager)
            .orElseThrow()
            .over(gain(of(report.results(), least), manager).orElseThrow());
    return more.isFaster()
        ? Optional.of(
            "With %s those that shuffle %s gain more than those that shuffle %s: %.2f times as much (%s)."
                .formatted(
                    report.managers().get(manager),
                    most.text,
                    least.text,
                    more.value(),
                    more.interval()))
        : Optional.empty();
  }
}
