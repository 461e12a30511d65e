// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.soak;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.symshuffle.benchmarks.report.Figures;
import io.symshuffle.benchmarks.report.RunInfo;
import io.symshuffle.benchmarks.report.Table;
import io.symshuffle.benchmarks.report.Table.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The results of a soak, over any number of calls of the command.
 *
 * @param rows rows of each execution
 * @param tasksEach tasks of each execution
 * @param calls the circumstances of each call
 * @param arms a result per arm
 */
record SoakReport(long rows, int tasksEach, List<RunInfo> calls, List<ArmResult> arms) {
  /** Copies the lists. */
  SoakReport {
    calls = List.copyOf(calls);
    arms = List.copyOf(arms);
  }

  /** Returns the result of an arm, which may be empty. */
  ArmResult arm(String label) {
    return arms.stream()
        .filter(result -> result.arm().equals(label))
        .findFirst()
        .orElse(ArmResult.none(label));
  }

  /** Returns this report with a new result of an arm. */
  SoakReport with(ArmResult changed) {
    List<ArmResult> results = new ArrayList<>(arms);
    results.replaceAll(result -> result.arm().equals(changed.arm()) ? changed : result);
    if (!results.contains(changed)) {
      results.add(changed);
    }
    return new SoakReport(rows, tasksEach, calls, results);
  }

  /** Returns this report with one more call. */
  SoakReport with(RunInfo call) {
    return new SoakReport(
        rows, tasksEach, Stream.concat(calls.stream(), Stream.of(call)).toList(), arms);
  }

  /** Whether an arm has a wrong value. */
  @JsonProperty
  boolean hasWrong() {
    return arms.stream().anyMatch(arm -> arm.wrong() != null);
  }

  /** Returns the table for readers. */
  String table() {
    Table table =
        new Table(
            List.of(
                Column.name("arm", 10),
                Column.number("", "executions", 6),
                Column.number("", "s each", 6),
                Column.number("", "tasks", 9),
                Column.number("", "wrong tasks", 6),
                Column.number("", "excluded at 95 %: above 1 in", 12)));
    String lines =
        arms.stream()
            .map(
                arm ->
                    table.add(
                        List.of(
                            arm.arm(),
                            Figures.count(arm.executions()),
                            Figures.seconds(arm.seconds() / Math.max(1, arm.executions())),
                            Figures.count(arm.tasks()),
                            Figures.count(arm.wrongTasks()),
                            Figures.count((long) (1 / arm.upperBound())))))
            .collect(Collectors.joining("\n"));
    return table.header() + "\n" + lines;
  }

  /** The last line of output of the command. */
  @JsonProperty
  String summary() {
    return String.format(
        Locale.ROOT,
        "bench rapids-soak: %d arms, %d executions, %d wrong tasks",
        arms.size(),
        arms.stream().mapToLong(ArmResult::executions).sum(),
        arms.stream().mapToLong(ArmResult::wrongTasks).sum());
  }
}
