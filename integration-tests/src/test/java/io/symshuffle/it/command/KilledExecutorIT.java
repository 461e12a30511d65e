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
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The benchmark as users run it: in its own process, with real applications. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("full")
class KilledExecutorIT {
  @TempDir private Path folder;

  @Test
  void showsWhatAKilledExecutorCosts() throws Exception {
    ChildProcess.Result result =
        BuiltCommand.of(
                List.of(
                    "bench",
                    "shuffle",
                    "--kill",
                    "--managers=sort,symshuffle",
                    "--cases=repartition",
                    "--rows=200000",
                    "--maps=20",
                    // So many that the executor is dead before they are read, on slow machines too.
                    "--partitions=100",
                    "--warm-ups=0",
                    "--starts=1",
                    "--runs=1",
                    "--master=local-cluster[2,1,1024]",
                    "--out=" + folder))
            .run(Await.LIMIT);
    JsonNode results =
        new ObjectMapper().readTree(folder.resolve("shuffle.json").toFile()).path("results");
    int whole = tasks(results, 0, 0);
    assertAll(
        result.output(),
        () -> assertEquals(0, result.status()),
        () -> assertTrue(result.output().contains("2 cases, 0 differ")),
        () -> assertFalse(result.output().contains("The machine is busy"), "by the dead executor"),
        () -> assertEquals("repartition", results.at("/0/job").asText()),
        () -> assertEquals("repartition, kill", results.at("/1/job").asText()),
        () -> assertEquals(whole, tasks(results, 0, 1)),
        () -> assertTrue(whole >= 120, "map and reduce tasks"),
        () -> assertTrue(tasks(results, 1, 0) > whole, "half of the map tasks run again"),
        () -> assertEquals(whole, tasks(results, 1, 1), "the other executor serves what is lost"));
  }

  private static int tasks(JsonNode results, int job, int manager) {
    return results.at("/%d/outcome/entries/%d/figures/tasks".formatted(job, manager)).asInt();
  }
}
