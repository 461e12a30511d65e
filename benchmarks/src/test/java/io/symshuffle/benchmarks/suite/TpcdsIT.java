// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code bench tpcds} as users run it, at the smallest scale. */
@Execution(ExecutionMode.CONCURRENT)
class TpcdsIT {
  @TempDir private Path folder;

  @Test
  @Tag("long")
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void all103QueriesGiveTheSameRows() throws Exception {
    Path json = folder.resolve("tpcds.json");
    List<String> arguments =
        new ArrayList<>(List.of("bench", "tpcds", "--scale", "0.01", "--runs", "1"));
    arguments.addAll(List.of("--data", folder.resolve("data").toString()));
    arguments.addAll(List.of("--out", folder.resolve("out").toString()));
    arguments.addAll(List.of("--json", json.toString()));
    // With so little data, q12 and q90 divide by the sales of groups that have none.
    arguments.addAll(List.of("--conf", "spark.sql.ansi.enabled=false"));
    ChildProcess.Result result = BuiltCommand.of(arguments).run(Duration.ofMinutes(110));
    assertTrue(Files.exists(json), result.output());
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertAll(
        result.output(),
        () -> assertEquals(0, result.status()),
        () -> assertEquals(103, report.path("results").size()),
        () -> assertEquals(0, report.path("differing").asInt(-1)),
        () -> assertEquals(0, report.path("failed").asInt(-1)),
        () -> assertTrue(report.at("/totals/0/geometricMeanSpeedUps/1").asDouble() > 0),
        () -> assertTrue(result.output().contains("SymShuffleManager")));
  }
}
