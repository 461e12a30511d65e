// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.benchmarks.launch.GpuWorker;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.launch.WorkerCluster;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.it.Folders;
import io.symshuffle.it.process.Jars;
import io.symshuffle.it.process.SparkHome;
import io.symshuffle.it.process.SparkSubmission;
import io.symshuffle.it.program.TableProgram;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tables of the RAPIDS Accelerator through the memory of two real GPUs of one machine, or of one
 * that two executors share: one application, and less GPU memory than one of its queries needs.
 * System properties {@code symshuffle.rapids.jar} and {@code symshuffle.rapids.libs} name the jar
 * of RAPIDS and the folder of its libraries.
 */
@Tag("gpu")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TablesOnGpus {
  private static final String BACKEND = "spark.symshuffle.device.backend";
  private static final String POOL_SIZE = "spark.rapids.memory.gpu.allocSize";
  private static final int EXECUTORS = 2;
  private static final int CORES = 6;

  private final Map<String, String> settings;
  private Path results;

  /**
   * Prepares nothing yet.
   *
   * @param settings of the application, in addition to those that each has
   */
  TablesOnGpus(Map<String, String> settings) {
    this.settings = settings;
  }

  /** Settings for a backend, with less GPU memory for RAPIDS than one of the queries needs. */
  static Map<String, String> smallPool(String backend) {
    return Map.of(
        BACKEND,
        backend,
        "spark.symshuffle.device.pes",
        Integer.toString(EXECUTORS),
        "spark.symshuffle.device.heap.size",
        "8g",
        POOL_SIZE,
        "1g");
  }

  @BeforeAll
  void runAll() throws IOException {
    String jar = System.getProperty("symshuffle.rapids.jar");
    assumeTrue(jar != null, "symshuffle.rapids.jar names no jar of the RAPIDS Accelerator");
    int present = CudaDriver.system().deviceCount();
    assumeTrue(
        present >= EXECUTORS || isForOneGpu(),
        "NVSHMEM, and RAPIDS with all memory of a GPU, need a GPU for each executor");
    List<Integer> gpus = WorkerCluster.turns(EXECUTORS, present);
    String libraries = System.getProperty("symshuffle.rapids.libs");
    // Kept, with the logs of all processes.
    Path folder = Path.of("target", "it-work", getClass().getSimpleName()).toAbsolutePath();
    Folders.delete(folder);
    results = Files.createDirectories(folder.resolve("results"));
    SparkHome home = SparkHome.create(folder.resolve("home"));
    SparkRuntime runtime = new SparkRuntime(home.jars(), Jars.plugin(), Jars.plugin(), List.of());
    SparkSubmission submission =
        SparkSubmission.of(home, TableProgram.class)
            .jar(Jars.plugin())
            .jar(Path.of(jar))
            .arguments(results.toString());
    Map.ofEntries(
            Map.entry("spark.plugins", "io.symshuffle.SymShufflePlugin,com.nvidia.spark.SQLPlugin"),
            Map.entry("spark.executor.cores", Integer.toString(CORES)),
            Map.entry("spark.executor.memory", "6g"),
            Map.entry("spark.executor.resource.gpu.amount", "1"),
            Map.entry("spark.task.resource.gpu.amount", "0.1"),
            Map.entry("spark.sql.shuffle.partitions", "12"),
            Map.entry("spark.sql.shuffle.orderIndependentChecksum.enabled", "true"),
            Map.entry("spark.rapids.sql.concurrentGpuTasks", "2"),
            Map.entry("spark.rapids.memory.pinnedPool.size", "2g"))
        .forEach(submission::conf);
    settings.forEach(submission::conf);
    String options = libraries == null ? "" : "-Dai.rapids.cudf.lib-native-dir=" + libraries;
    // Allows tests to inject out-of-memory errors.
    submission.conf(
        "spark.executor.extraJavaOptions",
        "-Dcom.nvidia.spark.rapids.runningTests=true " + options);
    PrintWriter quiet = new PrintWriter(new StringWriter());
    try (WorkerCluster cluster =
            WorkerCluster.onGpus(
                runtime,
                folder.resolve("cluster"),
                gpus,
                new GpuWorker(CORES, 8),
                Optional.empty(),
                new Console(quiet, false));
        ChildProcess application = submission.master(cluster.master().url()).start(folder)) {
      assertEquals(0, application.awaitEnd(Await.LIMIT), application::output);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hash",
        "groupBy",
        "manyGroups",
        "sort",
        "range",
        "roundRobin",
        "single",
        "broadcast",
        "join",
        "outerJoin",
        "coalesced",
        "skewed",
        "rebalanced",
        "local",
        "reused",
        "thousandPartitions",
        "manyColumns",
        "longStrings",
        "outOfMemory",
        "spilling"
      })
  void rowsMatchSparkAndStayOnTheGpus(String name) throws IOException {
    assertEquals("equal", outcome(name));
    String plan = plan(name);
    assertTrue(plan.contains("GpuColumnarExchange"), plan);
    assertFalse(plan.contains("GpuShuffleCoalesce"), "assembled from host memory: " + plan);
    assertFalse(Pattern.compile("[ -]Exchange ").matcher(plan).find(), "a CPU exchange: " + plan);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cached", "noColumns", "noRows"})
  void rowsOfCachedAndEmptyTablesMatchSpark(String name) throws IOException {
    assertEquals("equal", outcome(name));
  }

  @Test
  void adaptiveReadsWorkAsOnCpus() throws IOException {
    assertTrue(read("coalesced").contains("coalesced"), () -> read("coalesced"));
    assertTrue(read("skewed").contains("skewed"), () -> read("skewed"));
    assertTrue(plan("local").contains("GpuBroadcastHashJoin"), plan("local"));
    assertTrue(plan("reused").contains("ReusedExchange"), plan("reused"));
    assertTrue(plan("broadcast").contains("GpuBroadcastExchange"), plan("broadcast"));
  }

  @Test
  void bytesWentThroughDeviceHeapsOnly(TestReporter reporter) throws IOException {
    Map<String, Long> gauges =
        Files.readAllLines(results.resolve("gauges.txt")).stream()
            .map(line -> line.split("="))
            .collect(Collectors.toMap(line -> line[0], line -> Long.parseLong(line[1])));
    reporter.publishEntry("gauges", gauges.toString());
    assertTrue(gauges.get("written.device.bytes") > 1L << 30, gauges::toString);
    assertTrue(gauges.get("read.pulled.bytes") > 1L << 29, gauges::toString);
    assertTrue(gauges.get("read.device.bytes") > 1L << 29, gauges::toString);
    assertEquals(0, gauges.get("written.host.bytes"), gauges::toString);
    assertEquals(0, gauges.get("written.disk.bytes"), gauges::toString);
    assertEquals(0, gauges.get("read.transfer.bytes"), gauges::toString);
    assertEquals(0, gauges.get("read.failures"), gauges::toString);
  }

  @Test
  void rowChecksumsDependOnTheRowsButNotOnTheirOrder() throws IOException {
    List<List<String>> checksums =
        Files.readAllLines(results.resolve("checksums.txt")).stream()
            .map(line -> List.of(line.split(" ", -1)))
            .toList();
    List<String> ascending = checksums.getFirst();
    List<String> changed = new ArrayList<>(checksums.get(2));
    assertEquals(4, ascending.size(), checksums::toString);
    assertFalse(ascending.contains("0"), checksums::toString);
    assertEquals(ascending, checksums.get(1), "the same rows in another order");
    changed.removeAll(ascending);
    assertEquals(1, changed.size(), "map outputs that differ after a change of one row");
  }

  @Test
  void rapidsRetried(TestReporter reporter) throws IOException {
    String retries = Files.readString(results.resolve("outOfMemory.counts.txt"));
    reporter.publishEntry("retries", retries);
    assertTrue(retries.contains("gpuRetryCount"), retries);
  }

  @Test
  void rapidsSpilledIfItsPoolIsSmall(TestReporter reporter) throws IOException {
    assumeTrue(settings.containsKey(POOL_SIZE), "RAPIDS has the memory of the whole GPU");
    String spills = Files.readString(results.resolve("spilling.counts.txt"));
    reporter.publishEntry("spills", spills);
    assertTrue(spills.contains("gpuSpillToHostBytes"), spills);
  }

  private boolean isForOneGpu() {
    return "cuda".equals(settings.get(BACKEND)) && settings.containsKey(POOL_SIZE);
  }

  private String outcome(String name) throws IOException {
    return Files.readAllLines(results.resolve(name + ".txt")).getFirst();
  }

  /** The final plan, without the initial one. */
  private String plan(String name) throws IOException {
    String text = Files.readString(results.resolve(name + ".txt"));
    int initial = text.indexOf("== Initial Plan ==");
    return initial < 0 ? text : text.substring(0, initial);
  }

  /** The lines of a plan that read a shuffle. */
  private String read(String name) {
    try (Stream<String> lines = plan(name).lines()) {
      return lines
          .filter(line -> line.contains("GpuCustomShuffleReader"))
          .collect(Collectors.joining("\n"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
