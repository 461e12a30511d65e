// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.benchmarks.launch.CommandProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A short soak with a fixed seed; {@code bin/symshuffle chaos} does more of it. */
@Timeout(value = 10, unit = TimeUnit.MINUTES) // it takes 40 s on an idle machine
class ChaosIT {
  private static final Duration LIMIT = Duration.ofMinutes(9);

  @TempDir private Path folder;

  @Test
  void underFaultsEveryAnswerIsRightAndNothingIsLeft() throws Exception {
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
    try (CommandProcess chaos = CommandProcess.start(folder, arguments)) {
      boolean ended = chaos.waitFor(LIMIT);
      String output = chaos.output();
      assertTrue(ended && Files.exists(json), output);
      JsonNode report = new ObjectMapper().readTree(json.toFile());
      assertAll(
          output,
          () -> assertEquals(0, chaos.process().exitValue()),
          () -> assertTrue(report.path("answersCompared").asInt() >= 4),
          () -> assertEquals(report.path("jobs"), report.path("answersCompared")),
          () -> assertTrue(report.path("allFaults").asInt() >= 1),
          () -> assertEquals(0, report.path("differences").asInt()),
          () -> assertEquals(0, report.path("leakedHeapBytes").asLong()));
    }
  }
}
