// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.chaos.FailingCalls;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.it.ClusterSpec;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.failure.NumberedRows;
import io.symshuffle.it.process.ExecutorProcess;
import io.symshuffle.it.record.ExecutorGauges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContext$;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Device heaps of CUDA memory, on fakes, while calls fail, others take the GPU's memory, and tasks
 * end early: rows stay right, everything is freed, and no executor dies.
 */
@Tag("full")
class DeviceFaultsIT {
  /** What the driver does during a job. */
  static final List<String> REFUSALS =
      List.of(
          "refuse_cuMemCreate=1",
          "refuse_cuMemCreate=1+",
          "refuse_cuMemExportToShareableHandle=1",
          "refuse_cuMemMap=2",
          "refuse_cuMemMap=1+",
          "refuse_cuMemSetAccess=2",
          "refuse_cuMemImportFromShareableHandle=1",
          "refuse_cuMemAlloc=3",
          "refuse_cuMemHostAlloc=1+");

  private static final int ROUNDS = 3;

  /** Rows that a task returns before it ends. */
  private static final int FIRST_ROWS = 5;

  @TempDir private static Path folder;
  private static Path driver;
  private static Path log;
  private static SparkCluster cluster;
  private static List<ExecutorProcess> executors;

  @BeforeAll
  static void start() throws IOException {
    FakeGpus.compile(folder);
    driver = folder.resolve("cuda");
    log = folder.resolve("faults.log");
    ClusterSpec spec =
        ClusterSpec.localCluster(2, 1)
            .with("spark.task.maxFailures", "100")
            .with("spark.stage.maxConsecutiveAttempts", "100")
            .with("spark.executorEnv.LD_LIBRARY_PATH", driver.toString());
    for (String setting : (FakeGpus.HEAPS + "\nspark.symshuffle.heap.size=64m").lines().toList()) {
      String[] pair = setting.split("=", 2);
      spec = spec.with(pair[0], pair[1]);
    }
    for (Map.Entry<String, String> each :
        FailingCalls.compile(folder)
            .orElseThrow()
            .environment(log, Map.of("sendmsg", 4, "recvmsg", 5), 2)
            .entrySet()) {
      spec = spec.with("spark.executorEnv." + each.getKey(), each.getValue());
    }
    cluster = SparkCluster.start(spec, Path.of("target", "it-work", "DeviceFaultsIT"));
    executors = cluster.executors();
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
      assertEquals(Optional.empty(), FakeLibraries.violation(driver));
    }
  }

  @AfterEach
  void everythingIsFreedByTheSameExecutors() {
    FakeLibraries.script(driver);
    DeviceTablesSuite.awaitEmptyHeaps(cluster);
    assertEquals(executors, cluster.executors());
  }

  @Test
  void rowsAreRightWhenMessagesWithDescriptorsFail() throws IOException {
    assertRowsAreRight(ROUNDS);
    List<String> faults = Files.readAllLines(log);
    for (String fault : List.of("call.sendmsg", "call.recvmsg", "clock.step")) {
      assertTrue(faults.stream().anyMatch(line -> line.startsWith(fault)), fault + ": " + faults);
    }
  }

  @ParameterizedTest
  @FieldSource("REFUSALS")
  void rowsAreRightWhenCallsOfTheDriverFail(String refusal) {
    FakeLibraries.script(driver, refusal);
    // Once with the fault, and once after it.
    assertRowsAreRight(2);
  }

  /** All but the pool that the engine has. */
  @Test
  void mapOutputsGoToTheHostWhenAnotherProcessTakesAllGpuMemory() {
    NumberedTables before = NumberedTables.of(cluster.context());
    assertEquals(NumberedRows.EXPECTED, before.sums());
    ExecutorGauges gauges = cluster.gauges();
    FakeLibraries.script(driver, "vmm_bytes=1");
    assertEquals(NumberedRows.EXPECTED, NumberedTables.of(cluster.context(), 600, false).sums());
    assertEquals(NumberedRows.EXPECTED, before.sums());
    ExecutorGauges full = cluster.gauges();
    assertTrue(full.sum("written.host.bytes") > gauges.sum("written.host.bytes"), full::toString);
    FakeLibraries.script(driver);
    assertRowsAreRight(ROUNDS);
  }

  /** As in {@code SELECT TRANSFORM ... LIMIT}: a thread reads for a task and outlives it. */
  @Test
  void rowsAreRightWhenTasksEndWhileAnotherThreadReads() {
    for (int round = 0; round < ROUNDS; round++) {
      assertFirstRowsAreRight(cluster.context());
    }
    assertRowsAreRight(ROUNDS);
  }

  static void assertFirstRowsAreRight(SparkContext context) {
    List<Long> ids =
        NumberedTables.of(context, 40, false).read().mapPartitions(DeviceFaultsIT::first).collect();
    assertEquals(NumberedTables.PARTITIONS * FIRST_ROWS, ids.size());
    assertEquals(ids.size(), ids.stream().distinct().count());
    assertTrue(ids.stream().allMatch(id -> id >= 0 && id < NumberedTables.NUMBER), ids::toString);
  }

  /** Returns the first rows while another thread goes on reading. */
  private static Iterator<Long> first(Iterator<Long> rows) throws InterruptedException {
    LinkedTransferQueue<Long> passed = new LinkedTransferQueue<>();
    TaskContext task = TaskContext.get();
    Thread feed =
        Thread.ofPlatform()
            .name("feed")
            .daemon()
            .unstarted(
                () -> {
                  TaskContext$.MODULE$.setTaskContext(task);
                  rows.forEachRemaining(passed::add);
                });
    AtomicReference<Throwable> failure = new AtomicReference<>();
    feed.setUncaughtExceptionHandler((thread, thrown) -> failure.set(thrown));
    feed.start();
    List<Long> first = new ArrayList<>();
    while (first.size() < FIRST_ROWS) {
      Long id = passed.poll(100, TimeUnit.MILLISECONDS);
      if (id != null) {
        first.add(id);
      } else if (!feed.isAlive() && passed.isEmpty()) {
        throw new IllegalStateException(
            "the thread that reads has passed " + first.size(), failure.get());
      }
    }
    return first.iterator();
  }

  private static void assertRowsAreRight(int rounds) {
    for (int round = 0; round < rounds; round++) {
      assertEquals(NumberedRows.EXPECTED, NumberedTables.of(cluster.context(), 100, false).sums());
    }
  }
}
