// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.soak;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.SoakTask;
import io.symshuffle.benchmarks.report.JsonFile;
import io.symshuffle.benchmarks.report.RunInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SoakReportTest {
  private static final SoakTask EXPECTED =
      new SoakTask(7, 2, 29, 29, 6, 3, 3, 0, 0, 0, null, null, null, null);
  private static final SoakTask COMPUTED =
      new SoakTask(7, 2, 29, 29, 4, 1, 3, 0, 1, 1, 14L, 14L, "73", "73");
  private static final WrongExecution WRONG =
      new WrongExecution(
          2, "app-1", "/evidence/rapids-2", List.of(new WrongTask(EXPECTED, COMPUTED)));

  @TempDir private Path folder;

  @Test
  void countsContinueFromTheFile() throws Exception {
    SoakReport first =
        new SoakReport(100, 128, List.of(), List.of())
            .with(call())
            .with(ArmResult.none("rapids").plus(128, 0.5, Optional.empty()));
    Path file = folder.resolve("soak.json");
    JsonFile.write(first, file);
    SoakReport read = JsonFile.read(file, SoakReport.class);
    assertEquals(first, read);
    SoakReport second =
        read.with(call())
            .with(read.arm("rapids").plus(128, 1.5, Optional.of(WRONG)))
            .with(read.arm("symshuffle").plus(128, 1, Optional.empty()));
    JsonFile.write(second, file);
    assertAll(
        () -> assertEquals(second, JsonFile.read(file, SoakReport.class)),
        () -> assertEquals(2, second.calls().size()),
        () -> assertEquals(new ArmResult("rapids", 2, 256, 2, WRONG), second.arm("rapids")),
        () -> assertTrue(Files.readString(file).contains("\"upperBound\"")));
  }

  @Test
  void armEndsWithEnoughExecutionsOrAWrongValue() {
    ArmResult clean = ArmResult.none("rapids").plus(128, 1, Optional.empty());
    ArmResult wrong = clean.plus(128, 1, Optional.of(WRONG));
    assertAll(
        () -> assertFalse(clean.isOver(2)),
        () -> assertTrue(clean.isOver(1)),
        () -> assertTrue(wrong.isOver(1800)));
  }

  @Test
  void boundCountsTasks() {
    assertAll(
        () -> assertEquals(1, ArmResult.none("rapids").upperBound()),
        () ->
            assertEquals(
                1.0 / 76_909, new ArmResult("rapids", 1800, 230_400, 1, null).upperBound(), 1e-9),
        () ->
            assertEquals(
                1.0 / 48_567, new ArmResult("rapids", 1800, 230_400, 1, WRONG).upperBound(), 1e-9));
  }

  @Test
  void tableShowsEachArm() {
    SoakReport report =
        new SoakReport(400, 128, List.of(), List.of())
            .with(new ArmResult("rapids", 1800, 230_400, 1260, null))
            .with(new ArmResult("symshuffle", 2, 256, 2, WRONG));
    List<String> lines = report.table().lines().toList();
    assertAll(
        report.table(),
        () -> assertEquals(4, lines.size()),
        () ->
            assertEquals(
                List.of("rapids", "1,800", "0.700", "230,400", "0", "76,9"),
                List.of(lines.get(2).replaceAll("(76,9)..$", "$1").split(" {2,}"))),
        () -> assertTrue(lines.get(3).matches("symshuffle +2 +1.00 +256 +1 +\\d+"), lines.get(3)),
        () -> assertTrue(report.summary().contains("1802 executions, 1 wrong tasks")));
  }

  @Test
  void wrongTaskIsDescribedByItsDifferences() {
    assertAll(
        () ->
            assertEquals(
                "task 7: lengths -2, rows +0, keys +0, values +0; 0 nulls, 1 wrong lengths, 1"
                    + " wrong strings",
                new WrongTask(EXPECTED, COMPUTED).text()),
        () -> assertEquals("task 7 has no result", new WrongTask(EXPECTED, null).text()));
  }

  private static RunInfo call() {
    return RunInfo.now(
        "local[2]",
        List.of(new Reply.Ready("word", "app-1", "4.2.0", "org.example.Manager", 2, 4)));
  }
}
