// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.plugin.config.SymShuffleConfigException;
import io.symshuffle.shuffle.SymShuffleManager;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.VoidFunction;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole plugin in a Spark of one process, {@code local[2]}. */
class SymShufflePluginIT {
  @TempDir private Path heaps;
  private SparkSession session;

  @AfterEach
  void stopSpark() {
    if (session != null) {
      session.stop();
    }
  }

  @Test
  void replacesTheShuffleWithOneSetting() throws IOException {
    session = application().getOrCreate();
    assertSame(SymShuffleManager.class, SparkEnv.get().shuffleManager().getClass());
    assertEquals(1, entries(heaps).size());
    assertEquals(4950L, sumThroughAnExchange());
    ShuffleStats stats = ShuffleRuntime.require().stats();
    assertTrue(stats.sum(ShuffleCounter.HOST_BYTES_WRITTEN) > 0, "bytes written to the HOST tier");
    assertTrue(stats.sum(ShuffleCounter.HOST_BYTES_READ) > 0, "bytes read in place");
    assertEquals(0, stats.sum(ShuffleCounter.TRANSFER_BYTES_READ));
  }

  @Test
  void removesEverythingAtTheEndOfTheApplication() throws IOException {
    session = application().getOrCreate();
    sumThroughAnExchange();
    session.stop();
    assertEquals(List.of(), entries(heaps));
    assertEquals(Optional.empty(), ShuffleRuntime.current());
  }

  @Test
  @Tag("full")
  void unmapsTheHeapWhenTasksEndAfterTheApplication() throws Exception {
    for (int round = 0; round < 3; round++) {
      session = application().getOrCreate();
      sumThroughAnExchange();
      Straggler.begun = new CountDownLatch(1);
      Straggler.mayEnd = new Semaphore(0);
      var unused =
          JavaSparkContext.fromSparkContext(session.sparkContext())
              .parallelize(List.of(1), 1)
              .foreachAsync(new Straggler());
      assertTrue(Straggler.begun.await(2, TimeUnit.MINUTES));
      session.stop();
      assertTrue(mappedHeaps() > 0, "the heap is unmapped under a task that may read it");
      Straggler.mayEnd.release();
      for (Thread thread : Thread.getAllStackTraces().keySet()) {
        if (thread.getName().startsWith("symshuffle-")) {
          assertTrue(thread.join(Duration.ofMinutes(2)), thread::getName);
        }
      }
      assertEquals(0, mappedHeaps());
      assertEquals(List.of(), entries(heaps));
    }
  }

  private long mappedHeaps() throws IOException {
    try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
      return maps.filter(line -> line.contains(heaps.toString())).count();
    }
  }

  /** A task that does not end when it is interrupted. */
  private static final class Straggler implements VoidFunction<Integer> {
    private static final long serialVersionUID = 1L;
    private static volatile CountDownLatch begun;
    private static volatile Semaphore mayEnd;

    @Override
    public void call(Integer ignored) {
      begun.countDown();
      mayEnd.acquireUninterruptibly();
    }
  }

  @Test
  void refusesAWrongSettingAndStartsTheNextApplication() {
    SymShuffleConfigException refused =
        assertThrows(
            SymShuffleConfigException.class,
            () -> application().config("spark.symshuffle.staging.size", "4k").getOrCreate());
    assertEquals(
        "SymShuffle cannot start: spark.symshuffle.staging.size is '4k', but must be a byte"
            + " size from 64k to 1g, written like 64k, 1m or 2g (default: 1m).",
        refused.getMessage());
    session = application().getOrCreate();
    assertEquals(4950L, sumThroughAnExchange());
  }

  @Test
  @Tag("full")
  void refusesAnotherShuffleManagerWhereSymShuffleIsRequired() {
    SymShuffleConfigException refused =
        assertThrows(
            SymShuffleConfigException.class,
            () ->
                application()
                    .config("spark.symshuffle.required", "true")
                    .config("spark.shuffle.manager", "sort")
                    .getOrCreate());
    assertTrue(refused.getMessage().contains("remove spark.shuffle.manager"), refused.getMessage());
  }

  @Test
  @Tag("full")
  void replacesSortShuffleWhereItIsNotRequired() {
    session = application().config("spark.shuffle.manager", "sort").getOrCreate();
    assertSame(SymShuffleManager.class, SparkEnv.get().shuffleManager().getClass());
    assertEquals(4950L, sumThroughAnExchange());
  }

  @Test
  @Tag("full")
  void changesNothingWhenDisabled() throws IOException {
    session = application().config("spark.symshuffle.enabled", "false").getOrCreate();
    assertSame(SortShuffleManager.class, SparkEnv.get().shuffleManager().getClass());
    assertEquals(4950L, sumThroughAnExchange());
    assertEquals(List.of(), entries(heaps));
  }

  @Test
  @Tag("full")
  void publishesMetricsThroughSpark() {
    session = application().getOrCreate();
    sumThroughAnExchange();
    Set<String> names = new HashSet<>();
    SparkEnv.get()
        .metricsSystem()
        .getSourcesByName("plugin.io.symshuffle.SymShufflePlugin")
        .foreach(source -> names.addAll(source.metricRegistry().getNames()));
    assertTrue(
        names.containsAll(List.of("heap.used.bytes", "read.blocks", "pes.joined")),
        names::toString);
  }

  private SparkSession.Builder application() {
    return SparkSession.builder()
        .master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.plugins", "io.symshuffle.SymShufflePlugin")
        .config("spark.symshuffle.heap.dir", heaps.toString())
        .config("spark.symshuffle.heap.size", "64m")
        .config("spark.sql.shuffle.partitions", "4");
  }

  private long sumThroughAnExchange() {
    return session.range(0, 100, 1, 3).repartition(4).selectExpr("sum(id)").head().getLong(0);
  }

  private static List<Path> entries(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.toList();
    }
  }
}
