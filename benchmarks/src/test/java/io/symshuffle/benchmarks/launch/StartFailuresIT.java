// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.process.ChildProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Comparisons whose applications cannot start end soon and say why. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("full")
class StartFailuresIT {

  @TempDir private Path folder;

  private ChildProcess.Result bench(String... options) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("bench", "shuffle", "--cases", "tiny"));
    arguments.addAll(List.of("--runs", "1", "--warm-ups", "0"));
    arguments.addAll(List.of("--out", folder.resolve("out").toString()));
    arguments.addAll(List.of(options));
    return BuiltCommand.unshared(arguments).run(BuiltCommand.LIMIT);
  }

  @Test
  void quotesExecutorsThatDieAtTheirStart() throws Exception {
    ChildProcess.Result result =
        bench(
            "--managers",
            "sort",
            "--conf",
            "spark.executor.extraJavaOptions=-XX:+UseParallelGC -XX:+UseSerialGC",
            "--master",
            "local-cluster[2,1,1024]");
    assertAll(
        result.output(),
        () -> assertEquals(2, result.status()),
        () -> assertTrue(result.output().contains("'sort' die when they start")),
        () -> assertTrue(result.output().contains("An executor's log: ")),
        () -> assertTrue(result.output().contains("Multiple garbage collectors selected")));
  }
}
