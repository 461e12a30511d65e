// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.process.ChildProcess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Comparisons whose applications cannot start end soon and say why. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("full")
class StartFailuresIT {
  private static final Duration LIMIT = Duration.ofMinutes(4);

  @TempDir private Path folder;

  private ChildProcess.Result bench(String... options) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("bench", "shuffle", "--cases", "tiny"));
    arguments.addAll(List.of("--runs", "1", "--warm-ups", "0"));
    arguments.addAll(List.of("--out", folder.resolve("out").toString()));
    arguments.addAll(List.of(options));
    return BuiltCommand.unshared(arguments).run(LIMIT);
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
        () -> assertTrue(result.output().contains("Multiple garbage collectors selected")));
  }

  /** Spark warns every 15 s; {@code StartLogTest} tests with its log. */
  @Test
  @Tag("long")
  void namesMasterWithTooFewCoresForAllApplications() throws Exception {
    Path jars = BuiltCommand.sparkJars(Files.createDirectories(folder.resolve("spark")));
    PrintWriter quiet = new PrintWriter(new StringWriter());
    try (WorkerCluster cluster =
        WorkerCluster.onGpus(
            new SparkRuntime(jars, jars, jars, List.of()),
            folder.resolve("cluster"),
            List.of(0),
            new GpuWorker(1, 2),
            Optional.empty(),
            new Console(quiet, quiet, false))) {
      String master = cluster.master().url();
      ChildProcess.Result result = bench("--managers", "sort,sort-nocompress", "--master", master);
      assertAll(
          result.output(),
          () -> assertEquals(2, result.status()),
          () -> assertTrue(result.output().contains(master + " has no worker for an executor")),
          () -> assertTrue(result.output().contains("Waiting 10 s for the application")));
    }
  }
}
