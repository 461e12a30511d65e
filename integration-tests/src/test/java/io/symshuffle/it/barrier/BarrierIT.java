// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.barrier;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.barrier.ElementType;
import io.symshuffle.barrier.Reduction;
import io.symshuffle.barrier.SymmetricMemory;
import io.symshuffle.it.ClusterKind;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.failure.ReleasedMemory;
import io.symshuffle.it.program.BarrierStage;
import io.symshuffle.it.program.RandomCollectives;
import io.symshuffle.it.wait.Await;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function2;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Barrier stages whose tasks share symmetric memory. */
@SparkTest(
    cores = 2,
    conf = {BarrierIT.HEAP, "spark.symshuffle.heap.retained=0", BarrierIT.HEARTBEATS})
class BarrierIT {
  static final String HEAP = "spark.symshuffle.heap.size=64m";
  static final String HEARTBEATS = "spark.executor.heartbeatInterval=1s";

  /** No executor maps the heap of another one, as on different hosts. */
  static final String OTHER_HOSTS = "spark.symshuffle.read.peerMapping=false";

  private static final int TASKS = 4;
  private static final long MIB = 1 << 20;

  @TempDir private Path folder;

  @Test
  void collectivesAreThoseOfPlainLoops(SparkCluster cluster) {
    assertRandomCollectives(cluster, MIB, 150);
  }

  @Test
  @Tag("full")
  @SparkTest(cluster = ClusterKind.LOCAL, cores = 3)
  void collectivesInOneProcessAreThoseOfPlainLoops(SparkCluster cluster) {
    long seed = new Random().nextLong();
    for (int tasks = 1; tasks <= 3; tasks++) {
      assertEquals(
          Collections.nCopies(tasks, ""),
          BarrierStage.run(
              cluster.context(),
              tasks,
              String.class,
              task -> RandomCollectives.run(task, seed, MIB / 4, 100)),
          "seed " + seed);
    }
  }

  @Test
  @SparkTest(
      cores = 2,
      conf = {BarrierIT.HEAP, BarrierIT.OTHER_HOSTS, BarrierIT.HEARTBEATS})
  void collectivesThroughBlockTransferAreThoseOfPlainLoops(SparkCluster cluster) {
    assertRandomCollectives(cluster, MIB / 4, 60);
    // Longer than a slice of the transfer.
    assertSums(
        BarrierStage.run(cluster.context(), TASKS, double[].class, task -> sum(task, 2_500_001)),
        2_500_001);
  }

  @Test
  @Tag("full")
  @SparkTest(
      cores = 2,
      conf = {BarrierIT.HEAP, BarrierIT.OTHER_HOSTS, BarrierIT.HEARTBEATS})
  void killedExecutorOfAnotherHostRepeatsTheStage(SparkCluster cluster) throws Exception {
    assertKilledExecutorRepeatsTheStage(cluster);
  }

  private static void assertRandomCollectives(SparkCluster cluster, long bytes, int calls) {
    long seed = new Random().nextLong();
    assertEquals(
        Collections.nCopies(TASKS, ""),
        BarrierStage.run(
            cluster.context(),
            TASKS,
            String.class,
            task -> RandomCollectives.run(task, seed, bytes, calls)),
        "seed " + seed);
    assertNothingIsLeft(cluster);
  }

  @Test
  void sumsAreThoseOfTreeAggregate(SparkCluster cluster) {
    int length = 100_003;
    List<Integer> pes = IntStream.range(0, TASKS).boxed().toList();
    double[] expected =
        JavaSparkContext.fromSparkContext(cluster.context())
            .parallelize(pes, TASKS)
            .treeAggregate(
                new double[length],
                (Function2<double[], Integer, double[]>) (sum, pe) -> add(sum, values(pe, length)),
                (Function2<double[], double[], double[]>) BarrierIT::add);
    List<double[]> sums =
        BarrierStage.run(cluster.context(), TASKS, double[].class, task -> sum(task, length));
    for (double[] sum : sums) {
      assertArrayEquals(sums.getFirst(), sum, 0);
      assertArrayEquals(expected, sum, 1e-12);
    }
  }

  private static double[] values(int pe, int length) {
    return new Random(pe).doubles(length).toArray();
  }

  private static double[] add(double[] a, double[] b) {
    for (int i = 0; i < a.length; i++) {
      a[i] += b[i];
    }
    return a;
  }

  private static double[] sum(BarrierTaskContext task, int length) {
    try (SymmetricMemory memory = SymmetricMemory.open(task, (long) length * Double.BYTES)) {
      memory.local().copyFrom(MemorySegment.ofArray(values(memory.pe(), length)));
      memory.allReduce(Reduction.SUM, ElementType.DOUBLE, 0, length);
      return memory.local().toArray(JAVA_DOUBLE);
    }
  }

  @Test
  void tasksReadEachOthersBuffersInPlace(SparkCluster cluster) {
    List<Long> sums =
        BarrierStage.run(
            cluster.context(),
            TASKS,
            Long.class,
            task -> {
              SymmetricMemory memory = SymmetricMemory.open(task, 64);
              memory.local().set(JAVA_LONG, 0, 10 + memory.pe());
              memory.barrier();
              long sum = 0;
              for (int pe = 0; pe < memory.peCount(); pe++) {
                MemorySegment view = memory.peer(pe).orElseThrow();
                assertThrows(RuntimeException.class, () -> view.set(JAVA_LONG, 0, 1));
                sum += view.get(JAVA_LONG, 0);
              }
              memory.barrier();
              memory.close();
              assertThrows(IllegalStateException.class, memory::barrier);
              assertThrows(IllegalStateException.class, () -> memory.local().get(JAVA_LONG, 0));
              return sum;
            });
    assertEquals(Collections.nCopies(TASKS, 46L), sums);
    assertNothingIsLeft(cluster);
  }

  @Test
  void differentCallsAreErrorsThatNameBoth(SparkCluster cluster) {
    String message =
        BarrierStage.failure(
            cluster.context(),
            TASKS,
            task -> {
              SymmetricMemory memory = SymmetricMemory.open(task, 1024);
              if (memory.pe() == 2) {
                memory.broadcast(1, 8, 16);
              } else {
                memory.allReduce(Reduction.MAX, ElementType.INT, 0, 7);
              }
              return 0;
            });
    assertTrue(message.contains("broadcast(from PE 1, offset 8, 16 bytes)"), message);
    assertTrue(message.contains("allReduce(MAX, INT, offset 0, 7 elements)"), message);
    assertNothingIsLeft(cluster);
  }

  @Test
  void differentSizesAreErrors(SparkCluster cluster) {
    String message =
        BarrierStage.failure(
            cluster.context(),
            TASKS,
            task -> {
              SymmetricMemory.open(task, task.partitionId() == 1 ? 128 : 64);
              return 0;
            });
    assertTrue(message.contains("sizes must be equal"), message);
    assertNothingIsLeft(cluster);
  }

  @Test
  void fullHeapIsAnErrorThatNamesTheSetting(SparkCluster cluster) {
    String message =
        BarrierStage.failure(
            cluster.context(),
            TASKS,
            task -> {
              SymmetricMemory.open(task, 1L << 30);
              return 0;
            });
    assertTrue(message.contains("spark.symshuffle.heap.size"), message);
    assertNothingIsLeft(cluster);
  }

  @Test
  @Tag("full")
  void openHasALimit(SparkCluster cluster) {
    String message =
        BarrierStage.failure(
            cluster.context(),
            TASKS,
            task -> {
              if (task.partitionId() == 3) {
                waitUntilKilled(task);
              }
              SymmetricMemory.open(task, 64, Duration.ofSeconds(3));
              return 0;
            });
    assertTrue(
        message.contains("has waited 3 s for the other tasks of the stage in open(64 bytes)"),
        message);
    assertNothingIsLeft(cluster);
  }

  @Test
  void waitsHaveALimit(SparkCluster cluster) {
    String message =
        BarrierStage.failure(
            cluster.context(),
            TASKS,
            task -> {
              SymmetricMemory memory = SymmetricMemory.open(task, 64, Duration.ofSeconds(15));
              if (memory.pe() == 3) {
                waitUntilKilled(task);
              }
              memory.barrier();
              return 0;
            });
    assertTrue(message.contains("has waited 15 s for PE 3"), message);
    assertTrue(message.contains("barrier()"), message);
    assertNothingIsLeft(cluster);
  }

  @Test
  void taskThatEndsEarlyEndsTheWaitsOfOthers(SparkCluster cluster) {
    String message =
        BarrierStage.failure(
            cluster.context(),
            TASKS,
            task -> {
              SymmetricMemory memory = SymmetricMemory.open(task, 64);
              if (memory.pe() != 0) {
                memory.barrier();
              }
              return 0;
            });
    assertTrue(message.contains("has ended or closed its memory"), message);
    assertNothingIsLeft(cluster);
  }

  /** Spark kills it after another task of the stage has failed. */
  private static void waitUntilKilled(TaskContext task) {
    Await.holdsWithin(Await.LIMIT, task::isInterrupted);
    task.killTaskIfInterrupted();
  }

  @Test
  void failedTaskRepeatsTheStage(SparkCluster cluster) {
    List<double[]> sums =
        BarrierStage.runAndShuffle(
            cluster.context(),
            TASKS,
            double[].class,
            task -> {
              SymmetricMemory memory = SymmetricMemory.open(task, 64);
              if (task.stageAttemptNumber() == 0 && memory.pe() == 1) {
                throw new IllegalStateException("a fault");
              }
              memory.barrier();
              return sum(task, 1000);
            });
    assertSums(sums, 1000);
    assertNothingIsLeft(cluster);
  }

  @Test
  void killedExecutorRepeatsTheStage(SparkCluster cluster) throws Exception {
    assertKilledExecutorRepeatsTheStage(cluster);
  }

  private void assertKilledExecutorRepeatsTheStage(SparkCluster cluster) throws Exception {
    Path met = folder.resolve("met");
    String mark = met.toString();
    CompletableFuture<List<double[]>> job =
        CompletableFuture.supplyAsync(
            () ->
                BarrierStage.runAndShuffle(
                    cluster.context(), TASKS, double[].class, task -> sumForever(task, mark)));
    Await.until("the tasks have met", () -> Files.exists(met));
    cluster.kill(cluster.executors().getLast().executorId());
    assertSums(job.get(Await.LIMIT.toSeconds(), TimeUnit.SECONDS), 1000);
    assertNothingIsLeft(cluster);
  }

  /** In the first attempt of the stage, calls until an executor is killed. */
  private static double[] sumForever(BarrierTaskContext task, String mark) throws Exception {
    if (task.stageAttemptNumber() == 0) {
      SymmetricMemory memory = SymmetricMemory.open(task, MIB);
      for (int i = 0; ; i++) {
        memory.allReduce(Reduction.SUM, ElementType.FLOAT, 0, MIB / 4);
        if (i == 10 && memory.pe() == 0) {
          Files.createFile(Path.of(mark));
        }
      }
    }
    return sum(task, 1000);
  }

  private static void assertSums(List<double[]> sums, int length) {
    double[] expected = new double[length];
    for (int pe = 0; pe < TASKS; pe++) {
      add(expected, values(pe, length));
    }
    assertEquals(TASKS, sums.size());
    sums.forEach(sum -> assertArrayEquals(expected, sum, 1e-12));
  }

  private static void assertNothingIsLeft(SparkCluster cluster) {
    cluster.awaitExecutors();
    ReleasedMemory.await(cluster);
  }
}
