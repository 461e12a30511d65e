// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cli.ExpertSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What tune finds in event logs, one thing in each. */
class LogFindingsTest {
  private static final long MIB = 1L << 20;
  private static final String CPUS = "\"spark.plugins\":\"\"";
  private static final String GPUS =
      "\"spark.plugins\":\"com.nvidia.spark.SQLPlugin\",\"spark.rapids.memory.pinnedPool.size\":\"8g\"";

  @TempDir private Path folder;

  private final List<String> events = new ArrayList<>();

  private void application(String settings) {
    events.add(
        "{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":\"job\",\"Timestamp\":1000}");
    events.add(
        "{\"Event\":\"SparkListenerEnvironmentUpdate\",\"Spark Properties\":{%s}}"
            .formatted(settings));
  }

  private void tasks(int stage, int number, String metrics) {
    for (int i = 0; i < number; i++) {
      events.add(
          "{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":%d,\"Task Metrics\":{%s}}"
              .formatted(stage, metrics));
    }
  }

  private void metric(String name, String value) {
    events.add(
        "{\"Event\":\"SparkListenerStageCompleted\",\"Stage Info\":{\"Stage ID\":0,\"Accumulables\":[{\"Name\":\"%s\",\"Value\":\"%s\"}]}}"
            .formatted(name, value));
  }

  private void scan(int id, String table, long files, long bytes) {
    String sql = "org.apache.spark.sql.execution.ui.SparkListener";
    events.add(
        """
        {"Event":"%sSQLExecutionStart","executionId":%d,"sparkPlanInfo":{"nodeName":"Project",\
        "children":[{"nodeName":"GpuScan parquet ","children":[],"metadata":{"Location":\
        "InMemoryFileIndex(1 paths)[file:/data/%s]"},"metrics":[\
        {"name":"number of files read","accumulatorId":%d},\
        {"name":"size of files read","accumulatorId":%d}]}]}}\
        """
            .formatted(sql, id, table, 2 * id, 2 * id + 1));
    events.add(
        "{\"Event\":\"%sDriverAccumUpdates\",\"executionId\":%d,\"accumUpdates\":[[%d,%d],[%d,%d]]}"
            .formatted(sql, id, 2 * id, files, 2 * id + 1, bytes));
  }

  private static String read(long bytes) {
    return "\"Executor Run Time\":10,\"Shuffle Read Metrics\":{\"Total Records Read\":5,\"Remote Bytes Read\":1,\"Local Bytes Read\":%d}"
        .formatted(bytes - 1);
  }

  /** Returns what the log says; null for nothing. */
  private String found() throws IOException {
    Path log = Files.write(folder.resolve("app-1"), events);
    List<String> findings = EventLog.read(log.toString()).findings();
    assertTrue(findings.size() <= 1, findings::toString);
    return findings.isEmpty() ? null : findings.getFirst();
  }

  private void assertFound(String... texts) throws IOException {
    String found = found();
    for (String text : texts) {
      assertTrue(found != null && found.contains(text), text + " in: " + found);
    }
  }

  @Test
  void smallFilesOfTables() throws IOException {
    application(GPUS);
    scan(1, "lineitem", 800, 800 * 25 * MIB);
    scan(2, "lineitem", 30, 30 * 25 * MIB); // of some partitions of the table
    scan(3, "orders", 800, 800 * 6 * MIB);
    scan(4, "part", 5, 5 * MIB);
    scan(5, "large", 128, 128 * 160 * MIB);
    assertFound(
        "lineitem has 800 of 25.0 MiB, better 134; orders has 800 of 6.0 MiB, better 32.",
        "13 to 15 ms",
        "coalesce(NUMBER)");
    assertTrue(!found().contains("part has") && !found().contains("large"), found());
  }

  /** Two applications on local[2], whose logs are reduced to what tune reads of them. */
  @Test
  void whatTheLogsOfRealApplicationsShow() {
    assertFindings(
        "many-small-files",
        "Input files are small: orders has 200 of 22.3 KiB, better 1.",
        "Garbage collection took 12 % of the tasks' time. Set -Xms in spark.driver.defaultJavaOpti",
        "Partitions are small: 2 stages read less than 1.0 MiB per task in up to 363 tasks, since"
            + " adaptive query execution, which coalesces them, was turned off. The largest of them"
            + " needs about 1 partition: lower spark.sql.shuffle.partitions.");
    assertFindings(
        "small-heaps",
        "Garbage collection took 5 % of the tasks' time.",
        "Tasks wrote 192.8 MiB to disk because their memory was full, 174.4 MiB of it in a stage of"
            + " 2 tasks: use more partitions (spark.sql.shuffle.partitions), or larger Java"
            + " heaps.");
  }

  private static void assertFindings(String application, String... beginnings) {
    List<String> findings = findings(application);
    assertEquals(beginnings.length, findings.size(), findings::toString);
    for (int i = 0; i < beginnings.length; i++) {
      assertTrue(findings.get(i).startsWith(beginnings[i]), findings::toString);
    }
  }

  /** Returns what tune finds in a reduced log. */
  static List<String> findings(String application) {
    return EventLog.read(LogFindingsTest.class.getResource(application + ".zstd").toString())
        .findings();
  }

  @Test
  void pageableCopies() throws IOException {
    application("\"spark.plugins\":\"com.nvidia.spark.SQLPlugin\"");
    assertFound("pageable", "spark.rapids.memory.pinnedPool.size");
    events.clear();
    application(GPUS);
    assertEquals(null, found());
  }

  @Test
  void garbageCollectionWithItsOptions() throws IOException {
    String metrics = "\"Executor Run Time\":1000,\"JVM GC Time\":80";
    application(CPUS);
    tasks(0, 10, metrics);
    assertFound(
        "took 8 % of the tasks' time. Set -Xms and -XX:ParallelGCThreads in"
            + " spark.executor.defaultJavaOptions, as tune does; if that is not enough, the Java"
            + " heaps are too small.");
    events.clear();
    application("\"spark.master\":\"local[4]\",\"spark.driver.memory\":\"2g\"");
    tasks(0, 10, metrics);
    assertFound(
        "time. Set -Xms in spark.driver.defaultJavaOptions,", "small (spark.driver.memory was 2g)");
    events.clear();
    application("\"spark.executor.defaultJavaOptions\":\"-Xms4g -XX:ParallelGCThreads=8\"");
    tasks(0, 10, metrics);
    assertFound("took 8 % of the tasks' time. The Java heaps are too small.");
    events.clear();
    application(CPUS);
    tasks(0, 10, "\"Executor Run Time\":1000,\"JVM GC Time\":20");
    assertEquals(null, found());
  }

  @Test
  void waitsForTheGpu() throws IOException {
    application(GPUS);
    tasks(0, 10, "\"Executor Run Time\":1000");
    metric("gpuSemaphoreWait", "00:00:02.500");
    assertFound("waited for a GPU 25 % of their time", "spark.rapids.sql.concurrentGpuTasks");
    events.removeLast();
    metric("gpuSemaphoreWait", "00:00:00.500");
    assertEquals(null, found());
  }

  @Test
  void spillsOfTasksAndOfGpus() throws IOException {
    application(CPUS);
    tasks(0, 2, "\"Executor Run Time\":1000,\"Disk Bytes Spilled\":" + 512 * MIB);
    tasks(1, 4, "\"Executor Run Time\":1000,\"Disk Bytes Spilled\":" + MIB);
    assertFound(
        "wrote 1.0 GiB to disk because their memory was full, 1.0 GiB of it in a stage of 2 tasks:",
        ExpertSettings.PARTITIONS);
    events.clear();
    application(GPUS);
    tasks(0, 10, "\"Executor Run Time\":1000");
    metric("gpuSpillToHostTime", "00:00:01.000");
    assertFound("out of the GPUs' memory for 10 % of the tasks' time");
  }

  @Test
  void partitionsThatAreTooSmall() throws IOException {
    application(CPUS);
    tasks(3, 400, read(MIB / 4));
    assertFound(
        "1 stage read less than 1.0 MiB per task in up to 400 tasks", "about 4 partitions: lower");
    assertTrue(!found().contains("adaptive"), found());
    events.clear();
    application("\"spark.sql.adaptive.coalescePartitions.enabled\":\"false\"");
    tasks(3, 400, read(MIB / 4));
    assertFound("up to 400 tasks, since adaptive query execution, which coalesces them, was");
    events.clear();
    application(CPUS);
    tasks(3, 400, read(2 * MIB));
    assertEquals(null, found());
    events.clear();
    application(GPUS);
    tasks(3, 400, read(2 * MIB));
    assertFound("less than 8.0 MiB per task in up to 400 tasks", "about 7 partitions");
  }

  @Test
  void partitionsThatAreTooLarge() throws IOException {
    application(CPUS);
    tasks(3, 8, read(1024 * MIB));
    assertFound("more than 512.0 MiB each", "about 128 partitions", "spark.sql.shuffle.partitions");
  }
}
