// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.spark.SparkContext$;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Device heaps in a Spark of several processes, with fakes of CUDA and NVSHMEM, which executors
 * find in the same way as the real libraries.
 */
@Tag("full")
class DeviceHeapsIT {
  @TempDir private Path heaps;
  @TempDir private Path fakes;
  private SparkSession session;

  @AfterEach
  void stopSpark() {
    if (session != null) {
      session.stop();
    }
  }

  @Test
  void startsDeviceHeapsOfAnUnchangedApplicationTogether() {
    session = withGpus(cluster()).getOrCreate();
    Map<String, String> states = states(2);
    assertEquals(2, states.size(), states::toString);
    states.forEach(
        (executor, state) -> assertEquals("2 PEs, 32 MiB, whole", state, "executor " + executor));
    assertEquals(2, driverGauge("pes.device"));
    assertEquals(499_500L, sumThroughAnExchange());
  }

  @Test
  @Tag("long")
  void continuesAfterAKilledExecutorWithItsSuccessorOnTheHostHeap() {
    session = withGpus(cluster()).getOrCreate();
    Map<String, String> before = states(2);
    assertEquals(2, before.size(), before::toString);
    long pid = pids().get("0");
    ProcessHandle.of(pid).orElseThrow().destroyForcibly();
    await(() -> "2 PEs, 32 MiB, broken".equals(states(1).get("1")));
    assertEquals(499_500L, sumThroughAnExchange());
    await(() -> "host heap".equals(states(2).get("2")));
    assertEquals(499_500L, sumThroughAnExchange());
  }

  @Test
  @Tag("long")
  void stopsTheApplicationWithoutARequiredDeviceHeap() {
    assumeTrue(CudaDriver.system().isWithoutGpu(), "this machine has a GPU");
    session = cluster().config("spark.symshuffle.device.required", "true").getOrCreate();
    await(() -> session.sparkContext().isStopped() && SparkContext$.MODULE$.getActive().isEmpty());
  }

  @Test
  void failsTheStartInLocalModeWithoutARequiredDeviceHeap() {
    assumeTrue(CudaDriver.system().isWithoutGpu(), "this machine has a GPU");
    RuntimeException failure =
        assertThrows(
            RuntimeException.class,
            () ->
                application()
                    .master("local[2]")
                    .config("spark.symshuffle.device.required", "true")
                    .getOrCreate());
    assertTrue(
        failure
            .getMessage()
            .startsWith(
                "spark.symshuffle.device.required is true, but not all executors have device heaps:"
                    + " executor driver has none: "),
        failure.getMessage());
    assertEquals(Optional.empty(), ShuffleRuntime.current());
  }

  @Test
  void refusesRequiredDeviceHeapsOfNvshmemWithoutANumberOfExecutors() {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                application()
                    .master("spark://127.0.0.1:1")
                    .config("spark.symshuffle.device.backend", "nvshmem")
                    .config("spark.symshuffle.device.required", "true")
                    .getOrCreate());
    assertTrue(
        refused.getMessage().contains("set spark.symshuffle.device.pes"), refused.getMessage());
  }

  private SparkSession.Builder withGpus(SparkSession.Builder builder) {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    assumeTrue(KernelImage.find().absence().isEmpty(), "the build had no nvcc for the kernels");
    FakeLibraries.cuda(fakes);
    FakeLibraries.nvshmem(fakes);
    return builder
        .config("spark.executorEnv.LD_LIBRARY_PATH", fakes.toString())
        .config("spark.symshuffle.device.nvshmem.home", fakes.toString())
        .config("spark.symshuffle.device.enabled", "true")
        .config("spark.symshuffle.device.heap.size", "32m");
  }

  private SparkSession.Builder cluster() {
    return application()
        .master("local-cluster[2,1,1024]")
        .config("spark.executorEnv.JAVA_HOME", System.getProperty("java.home"))
        .config("spark.executor.extraClassPath", System.getProperty("java.class.path"));
  }

  private SparkSession.Builder application() {
    return SparkSession.builder()
        .config("spark.ui.enabled", "false")
        .config("spark.plugins", "io.symshuffle.SymShufflePlugin")
        .config("spark.symshuffle.heap.dir", heaps.toString())
        .config("spark.symshuffle.heap.size", "64m")
        .config("spark.sql.shuffle.partitions", "4");
  }

  private long sumThroughAnExchange() {
    return session.range(0, 1000, 1, 3).repartition(4).selectExpr("sum(id)").head().getLong(0);
  }

  /** What each executor reports about its device heap, once that many have answered. */
  private Map<String, String> states(int executors) {
    JavaSparkContext context = JavaSparkContext.fromSparkContext(session.sparkContext());
    List<Integer> questions = Collections.nCopies(8 * executors, 0);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      Map<String, String> states =
          context.parallelize(questions, questions.size()).map(any -> state()).collect().stream()
              .distinct()
              .collect(
                  Collectors.toMap(
                      text -> text.split(": ", 2)[0],
                      text -> text.split(": ", 2)[1],
                      (first, second) -> second));
      if (states.size() >= executors || System.nanoTime() > deadline) {
        return states;
      }
    }
  }

  private static String state() throws InterruptedException {
    // Long enough for the next task to go to another executor.
    Thread.sleep(50);
    Optional<DeviceTier> device = ShuffleRuntime.require().device();
    return SparkEnv.get().executorId()
        + ": "
        + device
            .map(
                tier ->
                    "%d PEs, %d MiB, %s"
                        .formatted(
                            tier.stats().pes(),
                            Math.ceilDiv(tier.stats().heapBytes(), 1L << 20),
                            tier.isWhole() ? "whole" : "broken"))
            .orElse("host heap");
  }

  private Map<String, Long> pids() {
    JavaSparkContext context = JavaSparkContext.fromSparkContext(session.sparkContext());
    return context
        .parallelize(Collections.nCopies(16, 0), 16)
        .map(
            any -> {
              Thread.sleep(50);
              return SparkEnv.get().executorId() + " " + ProcessHandle.current().pid();
            })
        .collect()
        .stream()
        .distinct()
        .collect(
            Collectors.toMap(
                text -> text.split(" ", -1)[0], text -> Long.valueOf(text.split(" ", -1)[1])));
  }

  private static long driverGauge(String name) {
    return SparkEnv.get()
        .metricsSystem()
        .getSourcesByName("plugin.io.symshuffle.SymShufflePlugin")
        .find(source -> source.metricRegistry().getGauges().containsKey(name))
        .map(
            source ->
                ((Number) source.metricRegistry().getGauges().get(name).getValue()).longValue())
        .get();
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, "the condition was not met within 60 s");
      try {
        Thread.sleep(100);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
