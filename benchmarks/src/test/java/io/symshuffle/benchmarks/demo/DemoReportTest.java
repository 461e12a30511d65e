// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.demo;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.benchmarks.report.JsonFile;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoReportTest {
  @Test
  void aGoodRunEndsWithTheCountAndTheSpeedUp() {
    DemoReport report = SampleReports.good();
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
  void aBadRunCountsWhatDiffersAndWhatFailed() {
    DemoReport report = SampleReports.bad();
    assertAll(
        () -> assertFalse(report.good()),
        () ->
            assertEquals(
                "demo: 2 queries, 1 differ, 1 failed, geometric mean speed-up 2.00",
                report.summary()));
  }

  @Test
  void theTableShowsTheDifferenceBelowItsLine() {
    DemoReport report = SampleReports.bad();
    DemoTable table = new DemoTable(report.managers());
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
}
