// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import com.fasterxml.jackson.databind.JsonNode;
import io.symshuffle.cli.ExpertSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What an event log says about the settings and the input files of its application, whatever its
 * shuffle manager. Used by one thread.
 */
final class LogFindings {
  private static final String DRIVER_UPDATES =
      "org.apache.spark.sql.execution.ui.SparkListenerDriverAccumUpdates";

  /** The first path of a scan, in the description of its files. */
  private static final Pattern PATH = Pattern.compile("\\[([^],\\s]+)");

  /** How RAPIDS writes times into its metrics. */
  private static final Pattern TIME = Pattern.compile("(\\d+):(\\d\\d):(\\d\\d\\.\\d+)");

  private static final String SEMAPHORE = "gpuSemaphoreWait";
  private static final String SPILL = "gpuSpillTo";

  private static final long MIB = 1L << 20;
  private static final long SMALL_FILE = 64 * MIB;
  private static final long GOOD_FILE = 150 * MIB;

  /** Fewer files are read at once by a few cores. */
  private static final long MANY_FILES = 16;

  private static final int MANY_PARTITIONS = 200;
  private static final long SMALL_PARTITION = MIB;
  private static final long SMALL_PARTITION_OF_GPU = 8 * MIB;
  private static final long GOOD_PARTITION = 32 * MIB;
  private static final long GOOD_PARTITION_OF_GPU = 128 * MIB;
  private static final long LARGE_PARTITION = 512 * MIB;

  /** Shares of the tasks' time that are worth a sentence. */
  private static final double MUCH_COLLECTION = 0.05;

  private static final double MUCH_WAITING = 0.10;
  private static final double MUCH_SPILLING = 0.02;

  /** The files of a table, or their bytes, by the number of their metric. */
  private final Map<Long, String> filesOf = new HashMap<>();

  private final Map<Long, String> bytesOf = new HashMap<>();
  private final Map<Long, Long> updates = new HashMap<>();

  private final Map<Integer, Reads> reads = new TreeMap<>();
  private JsonNode settings;
  private long runMillis;
  private long gcMillis;
  private long spilledBytes;
  private double semaphoreSeconds;
  private double spillSeconds;

  /** What the tasks of a stage read from shuffles. */
  private static final class Reads {
    private int tasks;
    private long bytes;

    long mean() {
      return bytes / tasks;
    }
  }

  /** Processes an event of any kind. */
  void add(JsonNode event) {
    scans(event.path("sparkPlanInfo"));
    switch (event.path("Event").asText()) {
      case "SparkListenerEnvironmentUpdate" -> settings = event.path("Spark Properties");
      case "SparkListenerTaskEnd" -> task(event);
      case "SparkListenerStageCompleted" -> stage(event.path("Stage Info"));
      case DRIVER_UPDATES ->
          event
              .path("accumUpdates")
              .forEach(pair -> updates.put(pair.path(0).asLong(), pair.path(1).asLong()));
      default -> {}
    }
  }

  private void scans(JsonNode node) {
    Matcher path = PATH.matcher(node.path("metadata").path("Location").asText());
    if (path.find()) {
      String table = path.group(1).replaceAll("/+$", "");
      for (JsonNode metric : node.path("metrics")) {
        long id = metric.path("accumulatorId").asLong();
        switch (metric.path("name").asText()) {
          case "number of files read" -> filesOf.put(id, table);
          case "size of files read" -> bytesOf.put(id, table);
          default -> {}
        }
      }
    }
    node.path("children").forEach(this::scans);
  }

  private void task(JsonNode event) {
    JsonNode metrics = event.path("Task Metrics");
    runMillis += metrics.path("Executor Run Time").asLong();
    gcMillis += metrics.path("JVM GC Time").asLong();
    spilledBytes += metrics.path("Disk Bytes Spilled").asLong();
    JsonNode read = metrics.path("Shuffle Read Metrics");
    if (read.path("Total Records Read").asLong() > 0) {
      Reads stage = reads.computeIfAbsent(event.path("Stage ID").asInt(), id -> new Reads());
      stage.tasks++;
      stage.bytes +=
          read.path("Remote Bytes Read").asLong() + read.path("Local Bytes Read").asLong();
    }
  }

  private void stage(JsonNode info) {
    for (JsonNode accumulable : info.path("Accumulables")) {
      String metric = accumulable.path("Name").asText();
      if (metric.equals(SEMAPHORE)) {
        semaphoreSeconds += seconds(accumulable.path("Value").asText());
      } else if (metric.startsWith(SPILL)) {
        spillSeconds += seconds(accumulable.path("Value").asText());
      }
    }
  }

  private static double seconds(String text) {
    Matcher parts = TIME.matcher(text);
    return parts.matches()
        ? Integer.parseInt(parts.group(1)) * 3600.0
            + Integer.parseInt(parts.group(2)) * 60.0
            + Double.parseDouble(parts.group(3))
        : 0;
  }

  private String setting(String key) {
    return settings == null ? "" : settings.path(key).asText("");
  }

  private boolean onGpus() {
    return setting("spark.plugins").contains("com.nvidia.spark.SQLPlugin");
  }

  /** {@return what was found, one or two sentences each} */
  List<String> sentences() {
    List<String> sentences = new ArrayList<>();
    smallFiles(sentences);
    if (onGpus() && setting(ExpertSettings.PINNED_POOL).matches("|0+[a-z]*")) {
      sentences.add(
          "Copies between host and GPU were pageable: RAPIDS had no pinned memory, since %s was not set."
              .formatted(ExpertSettings.PINNED_POOL));
    }
    double run = Math.max(1, runMillis) / 1e3;
    if (gcMillis / 1e3 / run >= MUCH_COLLECTION) {
      sentences.add(
          "Garbage collection took %s of the tasks' time%s."
              .formatted(Amounts.percent(gcMillis / 1e3 / run), missingJavaOptions()));
    }
    if (semaphoreSeconds / run >= MUCH_WAITING) {
      sentences.add(
          "Tasks waited for a GPU %s of their time. With fewer cores for each executor fewer of them hold memory meanwhile; if the GPU's memory is not full, let more run at a time with %s."
              .formatted(Amounts.percent(semaphoreSeconds / run), ExpertSettings.GPU_TASKS));
    }
    if (spillSeconds / run >= MUCH_SPILLING) {
      sentences.add(
          "RAPIDS moved tables out of the GPUs' memory for %s of the tasks' time: use more partitions, or fewer tasks at a time (%s)."
              .formatted(Amounts.percent(spillSeconds / run), ExpertSettings.GPU_TASKS));
    }
    if (spilledBytes > 0) {
      sentences.add(
          "Tasks wrote %s to disk because their memory was full: use more partitions, or larger Java heaps."
              .formatted(Amounts.bytes(spilledBytes)));
    }
    partitions(sentences);
    return sentences;
  }

  private String missingJavaOptions() {
    String options =
        setting(ExpertSettings.JAVA_OPTIONS) + " " + setting("spark.executor.extraJavaOptions");
    List<String> missing = new ArrayList<>();
    if (!options.contains("-Xms")) {
      missing.add("heaps grew from their small first size (no -Xms)");
    }
    if (!options.contains("-XX:ParallelGCThreads")) {
      missing.add("each executor had collector threads for all cores of its machine");
    }
    return missing.isEmpty() ? "" : ": " + String.join(", and ", missing);
  }

  private void smallFiles(List<String> sentences) {
    Map<String, Long> files = largest(filesOf);
    Map<String, Long> bytes = largest(bytesOf);
    List<String> tables =
        files.entrySet().stream()
            .filter(table -> table.getValue() >= MANY_FILES)
            .filter(table -> bytes.getOrDefault(table.getKey(), 0L) > 0)
            .filter(table -> bytes.get(table.getKey()) / table.getValue() < SMALL_FILE)
            .map(
                table ->
                    String.format(
                        Locale.ROOT,
                        "%s has %,d of %s, better %,d",
                        table.getKey().substring(table.getKey().lastIndexOf('/') + 1),
                        table.getValue(),
                        Amounts.bytes(bytes.get(table.getKey()) / table.getValue()),
                        Math.ceilDiv(bytes.get(table.getKey()), GOOD_FILE)))
            .toList();
    if (!tables.isEmpty()) {
      sentences.add(
          "Input files are small: %s. %s Rewrite them, for example with spark.read().parquet(FROM).coalesce(NUMBER).write().parquet(TO)."
              .formatted(
                  String.join("; ", tables),
                  onGpus()
                      ? "Each costs a task of RAPIDS 13 to 15 ms, whatever its size."
                      : "Each costs time to open, whatever its size."));
    }
  }

  /** The largest value of each table, since a scan of some partitions reads fewer files. */
  private Map<String, Long> largest(Map<Long, String> metrics) {
    return metrics.entrySet().stream()
        .filter(metric -> updates.containsKey(metric.getKey()))
        .collect(
            Collectors.toMap(
                Map.Entry::getValue, m -> updates.get(m.getKey()), Math::max, TreeMap::new));
  }

  private void partitions(List<String> sentences) {
    long small = onGpus() ? SMALL_PARTITION_OF_GPU : SMALL_PARTITION;
    long good = onGpus() ? GOOD_PARTITION_OF_GPU : GOOD_PARTITION;
    List<Reads> many =
        reads.values().stream()
            .filter(stage -> stage.tasks >= MANY_PARTITIONS && stage.mean() < small)
            .toList();
    if (!many.isEmpty()) {
      int tasks = many.stream().mapToInt(stage -> stage.tasks).max().orElseThrow();
      long bytes = many.stream().mapToLong(stage -> stage.bytes).max().orElseThrow();
      sentences.add(
          String.format(
              Locale.ROOT,
              "Partitions are small: %s read less than %s per task in up to %,d tasks. The largest"
                  + " of them needs about %,d partitions.",
              Amounts.count(many.size(), "stage"),
              Amounts.bytes(small),
              tasks,
              Math.max(1, Math.ceilDiv(bytes, good))));
    }
    reads.values().stream()
        .filter(stage -> stage.mean() > LARGE_PARTITION)
        .mapToLong(stage -> Math.ceilDiv(stage.bytes, 2 * good))
        .max()
        .ifPresent(
            number ->
                sentences.add(
                    String.format(
                        Locale.ROOT,
                        "Partitions are large: tasks of a stage read more than %s each. It needs"
                            + " about %,d partitions: set %s.",
                        Amounts.bytes(LARGE_PARTITION),
                        number,
                        ExpertSettings.PARTITIONS)));
  }
}
