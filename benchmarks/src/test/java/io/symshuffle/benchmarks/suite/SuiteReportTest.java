// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.protocol.ShuffleFigures;
import io.symshuffle.benchmarks.report.JsonFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SuiteReportTest {
  @Test
  void summaryOfAGoodRunHasCountAndSpeedUp() {
    SuiteReport report = SampleReports.good();
    assertAll(
        () -> assertTrue(report.good()),
        () ->
            assertTrue(
                report
                    .summary()
                    .matches("demo: 22 queries, 0 differ, geometric mean speed-up \\d+\\.\\d\\d"),
                report.summary()));
  }

  @Test
  void summaryOfABadRunCountsDifferencesAndFailures() {
    SuiteReport report = SampleReports.bad();
    assertAll(
        () -> assertFalse(report.good()),
        () ->
            assertEquals(
                "demo: 2 queries, 1 differ, 1 failed, geometric mean speed-up 2.00",
                report.summary()));
  }

  @Test
  void tableShowsTheDifferenceBelowItsLine() {
    SuiteReport report = SampleReports.bad();
    SuiteTable table = new SuiteTable(report.managers());
    String different = table.add(report.queries().get(0));
    String failed = table.add(report.queries().get(1));
    assertAll(
        () -> assertTrue(different.contains("DIFFER\n  1 of 4 rows"), different),
        () -> assertTrue(failed.contains("\n  symshuffle: org.apache"), failed),
        () -> assertTrue(table.header().contains("speed-up"), table.header()));
  }

  @Test
  void jsonHasEveryRunAndTheSummary(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("demo.json");
    JsonFile.write(SampleReports.good(), file);
    JsonNode json = new ObjectMapper().readTree(file.toFile());
    assertAll(
        () -> assertEquals(22, json.path("queries").size()),
        () -> assertEquals(0, json.path("differing").asInt(-1)),
        () -> assertTrue(json.path("geometricMeanSpeedUp").asDouble() > 1),
        () -> assertEquals(2, json.at("/info/machine/cores").asInt()),
        () -> assertEquals(3, json.at("/queries/0/entries/1/seconds").size(), json.toString()));
  }

  @Test
  void queryThatFailsOnAllManagersIsNoDifference() {
    Entry first = failed("sort", "task 3 in stage 17 failed");
    Outcome outcome =
        new Outcome(
            "q9", List.of(first, failed("symshuffle", "task 4 in stage 18 failed")), "", false);
    SuiteReport report = SampleReports.of(List.of(outcome));
    assertAll(
        () -> assertFalse(report.good()),
        () -> assertEquals(1, report.failedAlike()),
        () ->
            assertTrue(
                report.summary().contains("0 differ, 1 failed (1 on all managers alike)"),
                report.summary()),
        () -> assertEquals(List.of(0.0, 0.0), report.totalSeconds()));
  }

  @Test
  void totalsSkipFailedQueriesAndSlowerOnesAreNamed() {
    SuiteReport report =
        SampleReports.of(
            List.of(
                SampleReports.outcome("q1", 2, 1),
                SampleReports.outcome("q2", 1, 1.05),
                SampleReports.outcome("q3", 1, 1.02),
                SampleReports.bad().queries().get(1)));
    assertAll(
        () -> assertEquals(4, report.totalSeconds().get(0), 1e-9),
        () -> assertEquals(3.07, report.totalSeconds().get(1), 1e-9),
        () -> assertEquals(List.of("q2"), report.slower()),
        () ->
            assertTrue(
                new SuiteTable(report.managers()).total(report.totalSeconds()).contains("1.30")));
  }

  @Test
  void slowerBeyondScatterIsListedSeparately() {
    SuiteReport report =
        SampleReports.of(
            List.of(
                SampleReports.outcome("q1", 1, 1.05),
                SampleReports.outcome("q2", 1, 2),
                SampleReports.outcome("q3", 2, 1)));
    assertAll(
        () -> assertEquals(List.of("q1", "q2"), report.slower()),
        () -> assertEquals(List.of("q2"), report.slowerBeyondScatter()));
  }

  private static Entry failed(String manager, String message) {
    return new Entry(manager, List.of(), 0, ShuffleFigures.NONE, message);
  }
}
