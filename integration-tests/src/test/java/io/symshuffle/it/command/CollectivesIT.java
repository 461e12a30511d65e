// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.benchmarks.launch.BuiltCommand;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The command {@code bench collectives}. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("full")
class CollectivesIT {
  @TempDir private Path folder;

  @Test
  void timesAndChecksCollectives() throws IOException {
    Path json = folder.resolve("collectives.json");
    ChildProcess.Result result =
        BuiltCommand.of(
                List.of(
                    "bench",
                    "collectives",
                    "--pes=2",
                    "--sizes=64B",
                    "--memory=512m",
                    "--json=" + json))
            .run(Await.LIMIT);
    assertEquals(0, result.status(), result.output());
    assertTrue(result.output().contains("All results are right."), result.output());
    JsonNode rows = new ObjectMapper().readTree(json.toFile()).path("rows");
    assertEquals(5, rows.size());
    for (JsonNode row : rows) {
      assertTrue(row.path("right").asBoolean(), row::toString);
      assertTrue(row.path("microseconds").asDouble() > 0, row::toString);
    }
  }
}
