// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.comparison.Result.Cost;
import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.protocol.ShuffleFigures;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {
  @Test
  void summaryOfABadRunCountsDifferencesAndFailures() {
    Report report = SampleReports.bad();
    assertAll(
        () -> assertFalse(report.good()),
        () ->
            assertEquals(
                "demo: 2 queries, 1 differ, 1 failed, geometric mean speed-up 2.00 ±0%",
                report.summary()));
  }

  @Test
  void reportIsCompleteAfterAllStarts() {
    Plan plan = SampleReports.startedTwice("q1");
    Report afterOne = report(plan, SampleReports.outcome("q1", 2, 1));
    Report afterTwo = report(plan, SampleReports.startedTwice("q1", 2, 1));
    assertAll(
        () -> assertFalse(afterOne.complete()),
        () -> assertFalse(report(plan, SampleReports.firstOnly("q1", 2)).complete()),
        () -> assertTrue(report(plan, SampleReports.firstOnly("q1", 2)).gain(1).isEmpty()),
        () -> assertTrue(afterTwo.complete()),
        () ->
            assertEquals(
                "one at a time, each started 2 times", afterTwo.facts().get("Applications")),
        () -> assertEquals("1 warm-up and 3 timed of each job", afterTwo.facts().get("Runs")));
  }

  private static Report report(Plan plan, Outcome outcome) {
    return new Report(
        SampleReports.info(),
        plan,
        SampleReports.MANAGERS,
        null,
        List.of(new Result("", outcome.name(), 0, 0, outcome, null, List.of())),
        "");
  }

  @Test
  void queryThatFailsOnAllManagersIsNoDifference() {
    Report report =
        SampleReports.of(
            List.of(
                SampleReports.failed(
                    "q9", "task 3 in stage 17 failed", "task 4 in stage 18 failed")));
    assertAll(
        () -> assertFalse(report.good()),
        () -> assertEquals(1, report.failedAlike()),
        () ->
            assertTrue(
                report.summary().contains("0 differ, 1 failed (1 on all managers alike)"),
                report.summary()),
        () -> assertEquals(List.of(0.0, 0.0), report.totals().getFirst().seconds()));
  }

  @Test
  void totalsSkipFailedQueries() {
    Report report =
        SampleReports.of(
            List.of(
                SampleReports.outcome("q1", 2, 1),
                SampleReports.outcome("q2", 1, 1.05),
                SampleReports.failed("q4", "", "Job aborted")));
    Report.Total total = report.totals().getFirst();
    assertAll(
        () -> assertEquals(3, total.seconds().get(0), 1e-9),
        () -> assertEquals(2.05, total.seconds().get(1), 1e-9));
  }

  @Test
  void tableOfTwoManagersFitsATerminal() {
    Report report = SampleReports.of(List.of(SampleReports.outcome("q1", 2, 1)));
    String table = columns(report).table().header();
    assertTrue(table.lines().allMatch(line -> line.length() <= 80), table);
    assertTrue(table.contains("shuffle bytes"), table);
  }

  private static Columns columns(Report report) {
    return new Columns(report.plan(), report.managers(), report::results);
  }

  @Test
  void onlyWhatIsBeyondTheScatterIsSlowerOrHasAColor() {
    Report report =
        SampleReports.of(
            List.of(
                runs("q1", List.of(1.0, 1.1, 0.9), List.of(1.1, 1.0, 1.05)),
                runs("q2", List.of(1.0, 1.1, 0.9), List.of(2.0, 2.1, 2.2)),
                runs("q3", List.of(2.0, 2.1, 2.2), List.of(1.0, 1.1, 0.9))));
    assertAll(
        () -> assertEquals(List.of("q2"), report.slowerBeyondScatter(1)),
        () -> assertEquals(List.of("", "bad", "good"), styles(report)));
  }

  private static List<String> styles(Report report) {
    Columns.Column faster =
        columns(report).all().stream()
            .filter(column -> column.group().equals("times faster"))
            .findFirst()
            .orElseThrow();
    return report.results().stream().map(faster.style()).toList();
  }

  private static Outcome runs(String name, List<Double> sort, List<Double> symshuffle) {
    return new Outcome(
        name,
        List.of(
            new Entry("sort", sort, 1, ShuffleFigures.NONE, ""),
            new Entry("symshuffle", symshuffle, 1, ShuffleFigures.NONE, "")),
        "",
        false,
        3);
  }

  @Test
  void eachRateHasItsTotalsAndBytes() {
    List<Cost> costs =
        List.of(
            new Cost(List.of(3000L, 1000L), List.of(2.0), Map.of(), List.of()),
            new Cost(List.of(500L), List.of(), Map.of(), List.of()));
    Report report =
        new Report(
            SampleReports.info(),
            SampleReports.plan(List.of("1gbit", "none"), List.of("q1")),
            SampleReports.MANAGERS,
            null,
            List.of(
                new Result("1gbit", "q1", 0, 0, SampleReports.outcome("q1", 4, 2), null, costs),
                new Result("none", "q1", 0, 0, SampleReports.outcome("q1", 3, 1), null, costs)),
            "");
    assertAll(
        () -> assertTrue(report.complete()),
        () -> assertEquals(List.of(4.0, 2.0), report.totals().getFirst().seconds()),
        () -> assertEquals(3, report.totals().getLast().geometricMeanSpeedUps().getLast(), 1e-9),
        () -> assertEquals(List.of(2000.0, 500.0), report.totals().getLast().sentBytes()),
        () ->
            assertTrue(
                report.summary().startsWith("demo: 1 query on links of 2 rates, 0 differ,"),
                report.summary()),
        () ->
            assertEquals(
                List.of("2.0 KiB", "500 B", "2.00", "-"),
                columns(report).line(report.results().getFirst()).subList(5, 9)));
  }

  @Test
  void casesThatShareRunsWithoutTheExchangeCountTheirProblemsOnce() {
    Outcome good = SampleReports.outcome("join", 3, 2);
    Outcome base = SampleReports.failed("join base", "", "Job aborted");
    Report report =
        new Report(
            SampleReports.info(),
            SampleReports.cases("join", 8, 200),
            SampleReports.MANAGERS,
            null,
            List.of(
                new Result("", "join", 10, 8, good, base, List.of()),
                new Result("", "join", 10, 200, good, base, List.of())),
            "");
    assertAll(
        () -> assertFalse(report.good()),
        () ->
            assertTrue(
                report.summary().startsWith("bench shuffle: 2 cases, 0 differ, 1 failed,"),
                report.summary()),
        () -> assertEquals(2, report.results().getFirst().baseSeconds(), 1e-9),
        () -> assertEquals(1, report.results().getFirst().above(0).orElseThrow(), 1e-9));
  }
}
