// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.it.command;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.benchmarks.launch.BuiltCommand;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.process.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    check(Map.of(), "--seed", "3");
  }

  @Test
  @Tag("long")
  void rowsInGpuMemoryAreRightAndNothingLeaksDespiteFaults() throws Exception {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    FakeLibraries.cuda(folder.resolve("cuda"));
    check(
        Map.of("LD_LIBRARY_PATH", folder.resolve("cuda").toString()),
        "--seed",
        "4",
        "--gpus",
        "1",
        "--gpu-cores",
        "1",
        "--executors",
        "2");
  }

  private void check(Map<String, String> environment, String... options) throws Exception {
    Path json = folder.resolve("chaos.json");
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "chaos",
                "--out",
                folder.resolve("out").toString(),
                "--json",
                json.toString(),
                "--minutes",
                "0.1",
                "--jobs",
                "4"));
    arguments.addAll(List.of(options));
    ChildProcess.Result chaos = BuiltCommand.of(arguments).environment(environment).run(LIMIT);
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
