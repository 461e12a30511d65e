// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.it.command;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.benchmarks.launch.BuiltCommand;
import io.symshuffle.process.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code chaos} for a few seconds, with a fixed seed. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Execution(ExecutionMode.CONCURRENT)
@Tag("full")
class ChaosIT {
  private static final Duration LIMIT = Duration.ofMinutes(9);

  @TempDir private Path folder;

  @Test
  void answersAreRightAndNothingLeaksDespiteFaults() throws Exception {
    Path json = folder.resolve("chaos.json");
    List<String> arguments =
        List.of(
            "chaos",
            "--out",
            folder.resolve("out").toString(),
            "--json",
            json.toString(),
            "--minutes",
            "0.1",
            "--jobs",
            "4",
            "--seed",
            "3");
    ChildProcess.Result chaos = BuiltCommand.of(arguments).run(LIMIT);
    assertTrue(Files.exists(json), chaos.output());
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertAll(
        chaos.output(),
        () -> assertEquals(0, chaos.status()),
        () -> assertTrue(report.path("answersCompared").asInt() >= 4),
        () -> assertEquals(report.path("jobs"), report.path("answersCompared")),
        () -> assertTrue(report.path("allFaults").asInt() >= 1),
        () -> assertEquals(0, report.path("differences").asInt()),
        () -> assertTrue(report.path("historyEvents").asLong() >= 100),
        () -> assertEquals(0, report.path("historyOverlaps").asLong(-1)),
        () -> assertEquals(0, report.path("historyLost").asLong(-1)),
        () -> assertEquals(0, report.path("historyReadsWithoutLease").asLong(-1)),
        () -> assertEquals(0, report.path("leakedHeapBytes").asLong()));
  }
}
