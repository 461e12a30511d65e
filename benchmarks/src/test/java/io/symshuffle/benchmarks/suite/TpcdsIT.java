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

  /** Star joins, a rollup and window functions, on tables that are quick to generate. */
  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void twoQueriesOfDifferentShapesGiveTheSameRows() throws Exception {
    List<String> options = new ArrayList<>(List.of("--queries", "q67,q98", "--warm-ups", "0"));
    // With so few rows, code generation would take most of the time.
    options.addAll(List.of("--conf", "spark.sql.codegen.wholeStage=false"));
    options.addAll(List.of("--conf", "spark.sql.codegen.factoryMode=NO_CODEGEN"));
    options.addAll(List.of("--master", "local[2]", "--conf", "spark.sql.shuffle.partitions=8"));
    JsonNode report = report(Duration.ofMinutes(9), options);
    assertAll(
        () -> assertEquals(2, report.path("queries").size()),
        () -> assertEquals(100, report.at("/queries/0/entries/1/rows").asInt()),
        () -> assertTrue(report.at("/queries/0/entries/1/figures/bytesWritten").asLong() > 0));
  }

  @Test
  @Tag("long")
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void all103QueriesGiveTheSameRows() throws Exception {
    JsonNode report = report(Duration.ofMinutes(110), List.of());
    assertEquals(103, report.path("queries").size());
  }

  private JsonNode report(Duration limit, List<String> options) throws Exception {
    Path json = folder.resolve("tpcds.json");
    List<String> arguments =
        new ArrayList<>(List.of("bench", "tpcds", "--scale", "0.01", "--runs", "1"));
    arguments.addAll(List.of("--data", folder.resolve("data").toString()));
    arguments.addAll(List.of("--out", folder.resolve("out").toString()));
    arguments.addAll(List.of("--json", json.toString()));
    // With so little data, q12 and q90 divide by the sales of groups that have none.
    arguments.addAll(List.of("--conf", "spark.sql.ansi.enabled=false"));
    arguments.addAll(options);
    ChildProcess.Result result = BuiltCommand.of(arguments).run(limit);
    assertTrue(Files.exists(json), result.output());
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertAll(
        result.output(),
        () -> assertEquals(0, result.status()),
        () -> assertEquals(0, report.path("differing").asInt(-1)),
        () -> assertEquals(0, report.path("failed").asInt(-1)),
        () -> assertTrue(report.path("geometricMeanSpeedUp").asDouble() > 0),
        () -> assertTrue(result.output().contains("SymShuffleManager")));
    return report;
  }
}
