// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.barrier.ElementType;
import io.symshuffle.barrier.GpuSymmetricMemory;
import io.symshuffle.barrier.Reduction;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.heap.Slab;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.failure.ReleasedMemory;
import io.symshuffle.it.program.BarrierStage;
import io.symshuffle.it.program.RandomCollectives;
import io.symshuffle.it.wait.Await;
import io.symshuffle.kernel.AllReduce;
import io.symshuffle.kernel.AllReduceLaunch;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.spark.BarrierTaskContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Barrier stages whose tasks share memory of GPUs: two executors with up to two tasks each. */
abstract class DeviceMemorySuite {

  /** The default stream of the calling thread. */
  private static final long STREAM = 2;

  private static final int COUNT = 100_003;

  @TempDir private Path folder;

  @Test
  void collectivesOfTwoExecutorsAreThoseOfPlainLoops(SparkCluster cluster) {
    assertRandomCollectives(cluster, 2);
  }

  @Test
  void collectivesOfTwoTasksInEachExecutorAreThoseOfPlainLoops(SparkCluster cluster) {
    assertRandomCollectives(cluster, 4);
  }

  /** How many bytes and calls the random collectives have. */
  abstract long bytes();

  private void assertRandomCollectives(SparkCluster cluster, int tasks) {
    long seed = new Random().nextLong();
    long bytes = bytes();
    for (long length : new long[] {bytes, bytes / 16}) {
      assertEquals(
          Collections.nCopies(tasks, ""),
          BarrierStage.run(
              cluster.context(),
              tasks,
              String.class,
              task -> RandomCollectives.runOnGpus(task, seed, length, 40)),
          "seed " + seed);
    }
    assertNothingIsLeft(cluster);
  }

  @Test
  void callsFollowTheWorkOfTheCallersStream(SparkCluster cluster) {
    List<Integer> sums =
        BarrierStage.run(
            cluster.context(),
            2,
            Integer.class,
            task -> {
              try (CudaStream stream = tier().context().newStream()) {
                GpuSymmetricMemory memory =
                    GpuSymmetricMemory.open(task, 4L * COUNT, stream.address());
                int sum = 0;
                for (int round = 0; round < 5; round++) {
                  // One byte of each of the four: 0x01010101 times the PE's number.
                  stream.fill(rangeOf(memory.local()), (byte) (1 + memory.pe()));
                  memory.allReduce(Reduction.SUM, ElementType.INT, 0, COUNT);
                  int[] result = new int[COUNT];
                  memory.copyOut(0, MemorySegment.ofArray(result));
                  for (int value : result) {
                    sum += value == 0x03030303 ? 0 : 1;
                  }
                }
                memory.close();
                return sum;
              }
            });
    assertEquals(List.of(0, 0), sums, "wrong elements of each PE");
    assertNothingIsLeft(cluster);
  }

  private static DeviceRange rangeOf(MemorySegment segment) {
    return new DeviceRange(segment.address(), segment.byteSize());
  }

  @Test
  void javaCannotTouchMemoryOfTheGpu(SparkCluster cluster) {
    BarrierStage.run(
        cluster.context(),
        2,
        Integer.class,
        task -> {
          GpuSymmetricMemory memory = GpuSymmetricMemory.open(task, 64, STREAM);
          assertEquals(64, memory.local().byteSize());
          assertEquals(0, memory.local().address() % 64);
          for (int pe = 0; pe < memory.peCount(); pe++) {
            MemorySegment view = memory.peer(pe);
            assertThrows(IllegalStateException.class, () -> view.get(JAVA_INT, 0));
            assertThrows(IllegalStateException.class, () -> view.set(JAVA_INT, 0, 1));
          }
          MemorySegment array = MemorySegment.ofArray(new int[4]);
          assertThrows(IllegalArgumentException.class, () -> memory.put(0, 0, array));
          assertThrows(
              IllegalArgumentException.class,
              () -> memory.allReduce(Reduction.SUM, ElementType.DOUBLE, 4, 1));
          memory.barrier();
          memory.close();
          assertThrows(IllegalStateException.class, memory::local);
          assertThrows(IllegalStateException.class, memory::barrier);
          return 0;
        });
    assertNothingIsLeft(cluster);
  }

  @Test
  void differentCallsAreErrorsThatNameBoth(SparkCluster cluster) {
    String message =
        BarrierStage.failure(
            cluster.context(),
            2,
            task -> {
              GpuSymmetricMemory memory = GpuSymmetricMemory.open(task, 1024, STREAM);
              if (memory.pe() == 1) {
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
  void differentSizesAreErrorsThatNameBoth(SparkCluster cluster) {
    String message =
        BarrierStage.failure(
            cluster.context(),
            2,
            task -> GpuSymmetricMemory.open(task, 64L << task.partitionId(), STREAM).pe());
    assertTrue(message.contains("open(64 bytes of GPU memory)"), message);
    assertTrue(message.contains("open(128 bytes of GPU memory)"), message);
    assertNothingIsLeft(cluster);
  }

  @Test
  void fullDeviceHeapIsAnErrorThatNamesTheSetting(SparkCluster cluster) {
    String message =
        BarrierStage.failure(
            cluster.context(),
            2,
            task -> GpuSymmetricMemory.open(task, 1L << 40, STREAM).peCount());
    assertTrue(message.contains("spark.symshuffle.device.heap.size"), message);
    assertNothingIsLeft(cluster);
  }

  @Test
  void taskThatEndsEarlyEndsTheWaitsOfOthers(SparkCluster cluster) {
    String message =
        BarrierStage.failure(
            cluster.context(),
            2,
            task -> {
              GpuSymmetricMemory memory = GpuSymmetricMemory.open(task, 64, STREAM);
              if (memory.pe() != 0) {
                memory.allReduce(Reduction.MIN, ElementType.LONG, 0, 8);
              }
              return 0;
            });
    assertTrue(message.contains("has ended or closed its memory"), message);
    assertNothingIsLeft(cluster);
  }

  /** The GPU of PE 1 does something else for 45 s, so that its all-reduce starts late. */
  @Test
  void waitOfTheKernelHasALimitAndNamesTheGpuThatIsLate(SparkCluster cluster) {
    String message =
        BarrierStage.failure(
            cluster.context(),
            2,
            task -> {
              GpuSymmetricMemory memory =
                  GpuSymmetricMemory.open(task, 64, STREAM, Duration.ofSeconds(15));
              Busy busy = memory.pe() == 1 ? Busy.start() : null;
              try {
                memory.allReduce(Reduction.SUM, ElementType.FLOAT, 0, 16);
              } finally {
                if (busy != null) {
                  busy.end();
                }
              }
              return 0;
            });
    assertTrue(message.contains("PE 0 has waited 15 s for the GPU of PE 1"), message);
    assertTrue(message.contains("allReduce(SUM, FLOAT, offset 0, 16 elements)"), message);
    assertNothingIsLeft(cluster);
  }

  /** A kernel that waits for a PE that does not exist. */
  private record Busy(AllReduceLaunch launch, CudaStream stream, Slab slab) {
    static Busy start() {
      DeviceTier tier = tier();
      CudaStream stream = tier.context().foreignStream(STREAM);
      Slab slab = tier.slabs().allocate(2L * AllReduce.CONTROL_BYTES).orElseThrow();
      stream.fill(tier.window().slice(slab.offset(), slab.bytes()), (byte) 0);
      long address = tier.window().address() + slab.offset();
      AllReduceLaunch launch =
          tier.kernels()
              .allReduce(
                  new AllReduce(
                      List.of(address, address + AllReduce.CONTROL_BYTES / 2),
                      0,
                      AllReduce.Type.INT,
                      AllReduce.Operation.SUM,
                      AllReduce.CONTROL_BYTES,
                      1,
                      1,
                      true,
                      1,
                      address + AllReduce.CONTROL_BYTES,
                      TimeUnit.SECONDS.toNanos(45)));
      launch.queue(stream);
      return new Busy(launch, stream, slab);
    }

    void end() {
      stream.synchronize();
      launch.close();
      tier().slabs().free(slab);
    }
  }

  private static DeviceTier tier() {
    return ShuffleRuntime.require().device().orElseThrow();
  }

  /** For heaps that executors join at any time. */
  final void assertKilledExecutorRepeatsTheStage(SparkCluster cluster) throws Exception {
    Path met = folder.resolve("met");
    String mark = met.toString();
    CompletableFuture<List<Long>> job =
        CompletableFuture.supplyAsync(
            () ->
                BarrierStage.runAndShuffle(
                    cluster.context(), 2, Long.class, task -> sumForever(task, mark)));
    Await.until("the tasks have met", () -> Files.exists(met));
    cluster.kill(cluster.executors().getLast().executorId());
    assertEquals(List.of(3L, 3L), job.get(Await.LIMIT.toSeconds(), TimeUnit.SECONDS));
    assertNothingIsLeft(cluster);
  }

  /** In the first attempt of the stage, calls until an executor is killed. */
  private static long sumForever(BarrierTaskContext task, String mark) throws Exception {
    GpuSymmetricMemory memory = GpuSymmetricMemory.open(task, 4L * COUNT, STREAM);
    for (int i = 0; task.stageAttemptNumber() == 0; i++) {
      memory.allReduce(Reduction.SUM, ElementType.FLOAT, 0, COUNT);
      if (i == 10 && memory.pe() == 0) {
        Files.createFile(Path.of(mark));
      }
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(JAVA_LONG);
      value.set(JAVA_LONG, 0, 1L + memory.pe());
      memory.copyIn(8, value);
      memory.allReduce(Reduction.SUM, ElementType.LONG, 8, 1);
      memory.copyOut(8, value);
      return value.get(JAVA_LONG, 0);
    }
  }

  private static void assertNothingIsLeft(SparkCluster cluster) {
    cluster.awaitExecutors();
    ReleasedMemory.await(cluster, "heap.used.bytes", "device.heap.used.bytes");
  }
}
