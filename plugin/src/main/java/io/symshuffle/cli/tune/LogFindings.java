// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import com.fasterxml.jackson.databind.JsonNode;
import io.symshuffle.cli.ExpertSettings;
import io.symshuffle.plugin.config.ByteSize;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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

  /** The numbers of tasks of stages, and the bytes that they wrote to disk, where they did. */
  private final Map<Integer, Integer> tasks = new HashMap<>();

  private final Map<Integer, Long> spills = new TreeMap<>();
  private JsonNode settings;
  private long runMillis;
  private long gcMillis;
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
    int id = event.path("Stage ID").asInt();
    tasks.merge(id, 1, Integer::sum);
    long spilled = metrics.path("Disk Bytes Spilled").asLong();
    if (spilled > 0) {
      spills.merge(id, spilled, Long::sum);
    }
    JsonNode read = metrics.path("Shuffle Read Metrics");
    if (read.path("Total Records Read").asLong() > 0) {
      Reads stage = reads.computeIfAbsent(id, key -> new Reads());
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

  private boolean coalesces() {
    return Stream.of("enabled", "coalescePartitions.enabled")
        .noneMatch(name -> setting("spark.sql.adaptive." + name).equals("false"));
  }

  private boolean onGpus() {
    return setting("spark.plugins").contains("com.nvidia.spark.SQLPlugin");
  }

  /** Returns what was found, one or two sentences each. */
  List<String> sentences() {
    List<String> sentences = new ArrayList<>();
    smallFiles(sentences);
    if (onGpus() && setting(ExpertSettings.PINNED_POOL).matches("|0+[a-z]*")) {
      sentences.add(
          "Copies between host and GPU were pageable: RAPIDS had no pinned memory, since %s was not set."
              .formatted(ExpertSettings.PINNED_POOL));
    }
    share(gcMillis / 1e3, MUCH_COLLECTION)
        .map(share -> "Garbage collection took %s of the tasks' time. ".formatted(share) + remedy())
        .ifPresent(sentences::add);
    share(semaphoreSeconds, MUCH_WAITING)
        .map(
            share ->
                "Tasks waited for a GPU %s of their time. With fewer cores for each executor fewer of them hold memory meanwhile; if the GPU's memory is not full, let more run at a time with %s."
                    .formatted(share, ExpertSettings.GPU_TASKS))
        .ifPresent(sentences::add);
    share(spillSeconds, MUCH_SPILLING)
        .map(
            share ->
                "RAPIDS moved tables out of the GPUs' memory for %s of the tasks' time: use more partitions, or fewer tasks at a time (%s)."
                    .formatted(share, ExpertSettings.GPU_TASKS))
        .ifPresent(sentences::add);
    spills(sentences);
    partitions(sentences);
    return sentences;
  }

  /** Returns the share of the tasks' time, if it is at least this much. */
  private Optional<String> share(double seconds, double much) {
    double share = seconds / (Math.max(1, runMillis) / 1e3);
    return share >= much ? Optional.of(Amounts.percent(share)) : Optional.empty();
  }

  /** Returns what to do about garbage collection. */
  private String remedy() {
    String options = setting(javaKey("defaultJavaOptions")) + setting(javaKey("extraJavaOptions"));
    // The only process of local mode may have threads for all cores.
    List<String> missing =
        Stream.of("-Xms", "-XX:ParallelGCThreads")
            .filter(option -> option.equals("-Xms") || javaKey("").contains("executor"))
            .filter(option -> !options.contains(option))
            .toList();
    return missing.isEmpty()
        ? "The Java heaps are too small%s.".formatted(javaHeap())
        : "Set %s in %s, as tune does; if that is not enough, the Java heaps are too small%s."
            .formatted(String.join(" and ", missing), javaKey("defaultJavaOptions"), javaHeap());
  }

  /** Returns the setting of the processes that run tasks. */
  private String javaKey(String name) {
    return "spark.%s.%s"
        .formatted(setting("spark.master").matches("local(\\[.*)?") ? "driver" : "executor", name);
  }

  private String javaHeap() {
    String key = javaKey("memory");
    return setting(key).isEmpty() ? "" : " (%s was %s)".formatted(key, setting(key));
  }

  private void spills(List<String> sentences) {
    if (spills.isEmpty()) {
      return;
    }
    Map.Entry<Integer, Long> worst =
        spills.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow();
    sentences.add(
        "Tasks wrote %s to disk because their memory was full, %s of it in a stage of %s: use more partitions (%s), or larger Java heaps%s."
            .formatted(
                ByteSize.text(spills.values().stream().mapToLong(Long::longValue).sum()),
                ByteSize.text(worst.getValue()),
                Amounts.count(tasks.get(worst.getKey()), "task"),
                ExpertSettings.PARTITIONS,
                javaHeap()));
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
                        ByteSize.text(bytes.get(table.getKey()) / table.getValue()),
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
      int most = many.stream().mapToInt(stage -> stage.tasks).max().orElseThrow();
      long bytes = many.stream().mapToLong(stage -> stage.bytes).max().orElseThrow();
      sentences.add(
          String.format(
              Locale.ROOT,
              "Partitions are small: %s read less than %s per task in up to %,d tasks%s. The"
                  + " largest of them needs about %s: lower %s.",
              Amounts.count(many.size(), "stage"),
              ByteSize.text(small),
              most,
              coalesces()
                  ? ""
                  : ", since adaptive query execution, which coalesces them, was turned off",
              Amounts.count((int) Math.max(1, Math.ceilDiv(bytes, good)), "partition"),
              ExpertSettings.PARTITIONS));
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
                            + " about %,d partitions: raise %s.",
                        ByteSize.text(LARGE_PARTITION),
                        number,
                        ExpertSettings.PARTITIONS)));
  }
}
