// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartLogTest {
  private static final String ADDED =
      "26/11/22 20:00:00 INFO StandaloneAppClient$ClientEndpoint: Executor added: app-1/%d on"
          + " worker-1 (127.0.0.1:1) with 1 core(s)\n";
  private static final String EXITED =
      "26/11/22 20:00:01 INFO StandaloneAppClient$ClientEndpoint: Executor updated: app-1/%d is now"
          + " EXITED (Command exited with code 1)\n";
  private static final String NO_RESOURCES =
      "26/11/22 20:00:15 WARN TaskSchedulerImpl: Initial job has not accepted any resources; check"
          + " your cluster UI to ensure that workers are registered and have sufficient"
          + " resources\n";

  @TempDir private Path root;
  private Path folder;
  private Path log;

  @BeforeEach
  void createsFolder() throws IOException {
    folder = Files.createDirectories(root.resolve("sort"));
    log = Files.createFile(folder.resolve("driver.log"));
  }

  private StartLog startLog(String master) {
    return new StartLog(
        new ApplicationSpec(
            "sort", new SparkMaster(master), "1g", Map.of(), false, List.of(), folder),
        log);
  }

  @SuppressWarnings("AnnotateFormatMethod") // Some lines are concatenated.
  private void write(String line, Object... values) throws IOException {
    Files.writeString(log, line.formatted(values), StandardOpenOption.APPEND);
  }

  @Test
  void waitsForExecutorsThatStart() throws IOException {
    StartLog start = startLog("spark://host:7077");
    assertEquals(Optional.empty(), start.verdict());
    assertEquals("it has no executor yet", start.state());
    write(ADDED, 0);
    write(NO_RESOURCES);
    write(NO_RESOURCES);
    write(NO_RESOURCES);
    write(EXITED, 0);
    assertEquals(Optional.empty(), start.verdict());
    assertEquals("1 executors were started, 1 died", start.state());
  }

  /** Other processes use the folder, too, in which the log of an executor is searched. */
  @Test
  void givesUpWhileFoldersBesideTheLogDisappear() throws Exception {
    AtomicBoolean ended = new AtomicBoolean();
    Thread other =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (int i = 0; !ended.get(); i = (i + 1) % 50) {
                    File passing = root.resolve("passing" + i).toFile();
                    if (!passing.mkdir()) {
                      passing.delete();
                    }
                  }
                });
    try {
      StartLog start = startLog("spark://host:7077");
      for (int executor = 0; executor < 3; executor++) {
        write(EXITED, executor);
      }
      for (int i = 0; i < 2_000; i++) {
        String verdict = start.verdict().orElseThrow();
        assertTrue(verdict.contains("die when they start, 3 so far"), verdict);
      }
    } finally {
      ended.set(true);
      other.join();
    }
  }

  @Test
  void givesUpWhenExecutorsDieAndQuotesTheLast() throws IOException {
    StartLog start = startLog("local-cluster[2,1,1024]");
    Path stderr = Files.createDirectories(folder.resolve("work/app-1/2")).resolve("stderr");
    Files.writeString(
        stderr, "Unrecognized VM option 'Nonsense'\nError: Could not create the JVM.\n");
    for (int executor = 0; executor < 3; executor++) {
      assertEquals(Optional.empty(), start.verdict());
      write(ADDED, executor);
      write(EXITED, executor);
    }
    String verdict = start.verdict().orElseThrow();
    assertTrue(verdict.contains("'sort' die when they start, 3 so far"), verdict);
    assertTrue(verdict.contains("Command exited with code 1"), verdict);
    assertTrue(verdict.contains("Error: Could not create the JVM."), verdict);
    assertTrue(verdict.contains(stderr.toString()), verdict);
  }

  @Test
  void givesUpWhenStandaloneMasterHasNoResources() throws IOException {
    StartLog start = startLog("spark://host:7077");
    write(NO_RESOURCES);
    assertEquals(Optional.empty(), start.verdict());
    write(NO_RESOURCES);
    String verdict = start.verdict().orElseThrow();
    assertTrue(verdict.contains("spark://host:7077 has no worker for an executor"), verdict);
    assertTrue(verdict.contains("spark.cores.max"), verdict);
  }

  @Test
  void readsLineThatIsWrittenInParts() throws IOException {
    StartLog start = startLog("spark://host:7077");
    String line = EXITED.formatted(0);
    for (int i = 0; i < 3; i++) {
      write(line.substring(0, 60));
      assertEquals(Optional.empty(), start.verdict());
      write(line.substring(60));
    }
    assertTrue(start.verdict().isPresent());
  }
}
