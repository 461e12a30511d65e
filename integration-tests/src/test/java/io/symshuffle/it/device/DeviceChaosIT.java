// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.benchmarks.chaos.ChaosForTests;
import io.symshuffle.benchmarks.report.Machine;
import io.symshuffle.benchmarks.report.RunInfo;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.it.ClusterSpec;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.failure.NumberedRows;
import io.symshuffle.it.failure.StartedAction;
import io.symshuffle.it.process.ExecutorProcess;
import io.symshuffle.it.record.ExecutorGauges;
import io.symshuffle.it.wait.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The faults of {@code chaos} while tables go through device heaps, on fakes of the CUDA driver and
 * of NVSHMEM, whose calls fail, too. The system properties {@code symshuffle.chaos.minutes}, {@code
 * .seed} and {@code .json} make it longer, choose its faults, and write its counts.
 */
@Tag("long")
@Timeout(value = 90, unit = TimeUnit.MINUTES)
class DeviceChaosIT {
  private static final double MINUTES =
      Double.parseDouble(System.getProperty("symshuffle.chaos.minutes", "2"));
  private static final long SEED = Long.getLong("symshuffle.chaos.seed", 1);

  private static final Duration ROUND = Duration.ofSeconds(200);

  /** Number of jobs after which the driver removes unused shuffles. */
  private static final int JOBS_TO_CLEAN = 5;

  private static final double REFUSED_SHARE = 0.3;

  /** What the driver does during a job; the last one leaves no memory. */
  private static final List<String> REFUSALS =
      Stream.concat(DeviceFaultsIT.REFUSALS.stream(), Stream.of("vmm_bytes=1")).toList();

  /** 8-byte words of a row. */
  private static final int[] LONGS = {1, 4, 40, 100};

  @TempDir private Path folder;
  private final List<String> applications = new ArrayList<>();
  private String sparkVersion = "";

  @Test
  void tablesAreRightAndNothingIsLeftDespiteFaults() throws Exception {
    ChaosForTests chaos = new ChaosForTests(folder, SEED);
    String started = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    long end = System.nanoTime() + Math.round(MINUTES * 60e9);
    while (System.nanoTime() < end) {
      round(chaos, Math.min(end, System.nanoTime() + ROUND.toNanos()));
    }
    System.out.println("chaos: " + chaos.line());
    String json = System.getProperty("symshuffle.chaos.json");
    if (json != null) {
      chaos.report(info(started), Path.of(json));
    }
    assertEquals(Optional.empty(), chaos.problems());
  }

  private void round(ChaosForTests chaos, long end) throws Exception {
    int number = applications.size();
    Path fakes = folder.resolve("fakes-" + number);
    FakeGpus.compile(fakes);
    Path driver = fakes.resolve("cuda");
    SparkCluster cluster =
        SparkCluster.start(
            spec(chaos.settings(), number, fakes), Path.of("target", "it-work", "DeviceChaosIT"));
    applications.add(cluster.applicationId());
    sparkVersion = cluster.context().version();
    chaos.started(() -> executors(cluster), cluster.heapFolder());
    boolean goesOn = true;
    for (int job = 1; goesOn && System.nanoTime() < end; job++) {
      goesOn = job(chaos, cluster, driver);
      if (job % JOBS_TO_CLEAN == 0) {
        System.gc();
      }
    }
    if (goesOn) {
      countLeaks(chaos, cluster);
    }
    close(chaos, cluster);
    chaos.ended();
    FakeLibraries.violation(driver).ifPresent(text -> chaos.leaks(0, 0, text));
  }

  /** Large heaps of CUDA memory, small ones, and heaps of NVSHMEM. */
  private static ClusterSpec spec(Map<String, String> faults, int number, Path fakes) {
    ClusterSpec spec = ClusterSpec.localCluster(2, 1);
    for (Map.Entry<String, String> fault : faults.entrySet()) {
      spec = spec.with(fault.getKey(), fault.getValue());
    }
    String[] plugins = FakeTablesPlugin.SETTING.split("=", 2);
    spec =
        spec.with(plugins[0], plugins[1])
            .with("spark.executorEnv.LD_LIBRARY_PATH", fakes.resolve("cuda").toString())
            .with("spark.symshuffle.device.enabled", "true")
            .with("spark.symshuffle.device.chunk.size", "2m")
            .with("spark.symshuffle.device.heap.size", number % 3 == 0 ? "64m" : "16m")
            .with("spark.symshuffle.heap.size", number % 3 == 0 ? "64m" : "6m");
    return number % 3 < 2
        ? spec.with("spark.symshuffle.device.backend", "cuda")
        : spec.with("spark.symshuffle.device.backend", "nvshmem")
            .with("spark.symshuffle.device.nvshmem.home", fakes.resolve("nvshmem").toString());
  }

  private static List<ProcessHandle> executors(SparkCluster cluster) {
    return cluster.executors().stream()
        .map(ExecutorProcess::pid)
        .flatMap(pid -> ProcessHandle.of(pid).stream())
        .toList();
  }

  /** Returns false if the application cannot be used anymore. */
  private static boolean job(ChaosForTests chaos, SparkCluster cluster, Path driver)
      throws IOException, InterruptedException {
    Random random = chaos.random();
    if (random.nextDouble() < REFUSED_SHARE) {
      String refusal = REFUSALS.get(random.nextInt(REFUSALS.size()));
      chaos.fault("driver." + refusal.replaceAll("refuse_|=.*", ""));
      FakeLibraries.script(driver, refusal);
    }
    int kind = random.nextInt(5);
    int longs = LONGS[random.nextInt(LONGS.length)];
    chaos.beforeJob();
    Optional<Throwable> failure = Optional.empty();
    try {
      StartedAction.start(
              cluster.context(),
              () -> {
                assertRowsAreRight(cluster, kind, longs);
                return true;
              })
          .result()
          .get(Await.LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      failure = Optional.of(e.getCause());
    } catch (TimeoutException e) {
      chaos.hangs("a job did not end within " + Await.LIMIT);
      return false;
    }
    FakeLibraries.script(driver);
    chaos.afterJob(failure);
    return true;
  }

  private static void assertRowsAreRight(SparkCluster cluster, int kind, int longs) {
    switch (kind) {
      case 0 -> DeviceTablesSuite.readRanges(cluster);
      case 1 -> DeviceFaultsIT.assertFirstRowsAreRight(cluster.context());
      case 2 -> {
        NumberedTables tables = NumberedTables.of(cluster.context(), longs, false);
        assertEquals(NumberedRows.EXPECTED, tables.sums());
        assertEquals(NumberedRows.EXPECTED, tables.sums());
      }
      default ->
          assertEquals(
              NumberedRows.EXPECTED, NumberedTables.of(cluster.context(), longs, false).sums());
    }
  }

  private static void countLeaks(ChaosForTests chaos, SparkCluster cluster) {
    cluster.awaitExecutors();
    AtomicLong used = new AtomicLong();
    boolean empty =
        Await.holdsWithin(
            Await.LIMIT,
            () -> {
              System.gc();
              ExecutorGauges gauges = cluster.gauges();
              used.set(gauges.sum("heap.used.bytes") + gauges.sum("device.heap.used.bytes"));
              return used.get() == 0;
            });
    if (!empty) {
      chaos.leaks(used.get(), 0, "used without shuffles: " + cluster.gauges());
    }
  }

  private static void close(ChaosForTests chaos, SparkCluster cluster) {
    try {
      cluster.close();
    } catch (AssertionError e) {
      chaos.leaks(0, 1, e.getMessage());
    }
  }

  private RunInfo info(String started) {
    return new RunInfo(
        started,
        "mvn -Plong -pl integration-tests -am verify -DskipUnitTests -Dit.test=DeviceChaosIT"
            + " -Dsymshuffle.chaos.minutes=%s -Dsymshuffle.chaos.seed=%d".formatted(MINUTES, SEED),
        applications,
        "local-cluster[2,1,1024], fakes of CUDA and NVSHMEM",
        2,
        2,
        sparkVersion,
        System.getProperty("symshuffle.chaos.version", "unknown"),
        Runtime.version() + ", " + System.getProperty("java.vendor"),
        Machine.here(),
        Map.of());
  }
}
