// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.it.command;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.benchmarks.launch.BuiltCommand;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code chaos} for a few seconds, with a fixed seed. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("full")
class ChaosIT {

  @TempDir private Path folder;

  @Test
  void answersAreRightAndNothingLeaksDespiteFaults() throws Exception {
    Path json = folder.resolve("chaos.json");
    List<String> arguments = arguments(json, "--minutes", "0.1", "--jobs", "4");
    ChildProcess.Result chaos = BuiltCommand.of(arguments).run(Await.LIMIT);
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

  @Test
  void interruptedChaosEndsItsProcessesAndReportsWhatItHas() throws Exception {
    Path json = folder.resolve("chaos.json");
    try (ChildProcess chaos = BuiltCommand.of(arguments(json, "--minutes", "60")).start()) {
      chaos.awaitOutput(Pattern.compile("job (?:[2-9]|\\d\\d)"), Await.LIMIT);
      List<ProcessHandle> below = chaos.handle().descendants().toList();
      assertTrue(below.size() >= 4, below::toString);
      chaos.signal("TERM");
      assertEquals(128 + 15, chaos.awaitEnd(Await.LIMIT), chaos.output());
      for (ProcessHandle each : below) {
        each.onExit().get(Await.LIMIT.toSeconds(), TimeUnit.SECONDS);
      }
      JsonNode report = new ObjectMapper().readTree(json.toFile());
      assertAll(
          chaos.output(),
          () -> assertTrue(report.path("interrupted").asBoolean()),
          () -> assertTrue(report.path("answersCompared").asInt() >= 1),
          () -> assertEquals(0, report.path("failedJobs").asInt(-1)),
          () -> assertEquals(0, report.path("hangs").asInt(-1)),
          () -> assertFalse(Files.exists(Path.of("/dev/shm/symshuffle-chaos-" + chaos.pid()))));
    }
  }

  private List<String> arguments(Path json, String... more) {
    List<String> all = new ArrayList<>(List.of("chaos", "--seed", "3"));
    all.addAll(List.of("--out", folder.resolve("out").toString(), "--json", json.toString()));
    all.addAll(List.of(more));
    return all;
  }
}
