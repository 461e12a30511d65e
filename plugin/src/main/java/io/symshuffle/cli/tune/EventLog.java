// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.deploy.history.EventLogFileReader;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Reads an event log, a single file or rolling, compressed or not, with Spark's own classes. It
 * uses only times and amounts, and ignores unknown events.
 */
final class EventLog {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * The names of RAPIDS' metrics {@code op time (shuffle write partitioning)} and {@code op time
   * (shuffle read)}, in nanoseconds, from {@code GpuMetric} of RAPIDS 26.08.
   */
  private static final String ENGINE_TIME = "op time (shuffle ";

  /** Names of files that other programs compress. */
  private static final Pattern PACKED = Pattern.compile("\\.(gz|tgz|zip|zst|bz2|xz|tar|7z)$");

  private static final double MILLIS = 1e3;
  private static final double NANOS = 1e9;

  /** Sums over the events of a stage. */
  private static final class Sums {
    private long wallMillis;
    private long taskMillis;
    private long writeNanos;
    private long waitMillis;
    private long engineNanos;
    private long recordsWritten;
    private long recordsRead;
    private long bytesWritten;
    private long rawBytes;
    private int tasks;

    StageFacts facts() {
      return new StageFacts(
          wallMillis / MILLIS,
          taskMillis / MILLIS,
          writeNanos / NANOS,
          waitMillis / MILLIS,
          engineNanos / NANOS,
          recordsWritten,
          recordsRead,
          bytesWritten,
          rawBytes);
    }
  }

  private final Map<Integer, Sums> stages = new TreeMap<>();
  private final QueryEvents queries = new QueryEvents();
  private final LogFindings findings = new LogFindings();
  private String name = "";
  private String version = "";
  private String manager = "";
  private long start;
  private long end;
  private boolean isEmpty = true;

  private EventLog() {}

  /**
   * Reads a log.
   *
   * @param place a file, or the folder of a rolling log
   * @throws CliException if it does not exist or cannot be read
   */
  static JobFacts read(String place) {
    try {
      Path path = new Path(place);
      FileSystem files = path.getFileSystem(new Configuration());
      Option<EventLogFileReader> reader = EventLogFileReader.apply(files, path);
      if (reader.isEmpty()) {
        throw new CliException(notALog(place) + logsIn(path, files));
      }
      EventLog log = new EventLog();
      for (FileStatus file : CollectionConverters.asJava(reader.get().listEventLogFiles())) {
        log.readFile(file.getPath(), files);
      }
      return log.facts(place);
    } catch (FileNotFoundException e) {
      throw new CliException("There is no event log %s.".formatted(place), e);
    } catch (IOException e) {
      throw new CliException(
          "Cannot read the event log %s: %s.".formatted(place, Failures.reason(e)), e);
    } catch (IllegalArgumentException e) {
      // Spark treats an unknown extension as an unknown compression codec.
      throw new CliException(
          PACKED.matcher(place).find()
              ? "%s was not compressed by Spark, whose compressed logs end in .zstd, .lz4, .lzf or .snappy: decompress it first."
                  .formatted(place)
              : notALog(place),
          e);
    } catch (RuntimeException e) {
      if (e.getCause() instanceof ClassNotFoundException) {
        throw new CliException(
            "%s is in a file system that Spark's jars here do not support: copy the log to this machine first."
                .formatted(place),
            e);
      }
      throw e;
    }
  }

  /** Names a log in a folder of logs, which is easily given instead: the newest. */
  private static String logsIn(Path path, FileSystem files) throws IOException {
    if (!files.getFileStatus(path).isDirectory()) {
      return "";
    }
    return Arrays.stream(files.listStatus(path))
        .filter(file -> !EventLogFileReader.apply(files, file.getPath()).isEmpty())
        .max(Comparator.comparingLong(FileStatus::getModificationTime))
        .map(newest -> " The newest in this folder is %s.".formatted(newest.getPath().getName()))
        .orElse(" This folder has none.");
  }

  private static String notALog(String place) {
    return "%s is not an event log of Spark: name the file of an application in spark.eventLog.dir, or its folder eventlog_v2_*."
        .formatted(place);
  }

  private void readFile(Path path, FileSystem files) throws IOException {
    try (InputStream in = EventLogFileReader.openEventLog(path, files);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        isEmpty = false;
        // The last line of an application that was killed may be truncated.
        JsonNode event = parse(line);
        if (event != null) {
          add(event);
        }
      }
    }
  }

  private static JsonNode parse(String line) {
    try {
      return JSON.readTree(line);
    } catch (JsonProcessingException e) {
      return null;
    }
  }

  private void add(JsonNode event) {
    queries.add(event);
    findings.add(event);
    switch (event.path("Event").asText()) {
      case "SparkListenerLogStart" -> version = event.path("Spark Version").asText();
      case "SparkListenerApplicationStart" -> {
        name = event.path("App Name").asText();
        start = event.path("Timestamp").asLong();
      }
      case "SparkListenerApplicationEnd" -> end = event.path("Timestamp").asLong();
      case "SparkListenerEnvironmentUpdate" ->
          manager = event.path("Spark Properties").path("spark.shuffle.manager").asText("");
      case "SparkListenerTaskEnd" -> task(event);
      case "SparkListenerStageCompleted" -> stage(event.path("Stage Info"));
      default -> {}
    }
  }

  private void task(JsonNode event) {
    JsonNode metrics = event.path("Task Metrics");
    Sums stage = stages.computeIfAbsent(event.path("Stage ID").asInt(), id -> new Sums());
    JsonNode write = metrics.path("Shuffle Write Metrics");
    JsonNode read = metrics.path("Shuffle Read Metrics");
    stage.tasks++;
    stage.taskMillis += metrics.path("Executor Run Time").asLong();
    stage.writeNanos += write.path("Shuffle Write Time").asLong();
    stage.waitMillis += read.path("Fetch Wait Time").asLong();
    stage.engineNanos += engineNanos(event.path("Task Info").path("Accumulables"));
    stage.recordsWritten += write.path("Shuffle Records Written").asLong();
    stage.recordsRead += read.path("Total Records Read").asLong();
    stage.bytesWritten += write.path("Shuffle Bytes Written").asLong();
    end = Math.max(end, event.path("Task Info").path("Finish Time").asLong());
  }

  /** RAPIDS does not report these times as Spark's shuffle metrics. */
  private static long engineNanos(JsonNode accumulables) {
    long nanos = 0;
    for (JsonNode accumulable : accumulables) {
      if (accumulable.path("Name").asText().startsWith(ENGINE_TIME)) {
        nanos += accumulable.path("Update").asLong();
      }
    }
    return nanos;
  }

  private void stage(JsonNode info) {
    Sums stage = stages.computeIfAbsent(info.path("Stage ID").asInt(), id -> new Sums());
    long submitted = info.path("Submission Time").asLong();
    long completed = info.path("Completion Time").asLong();
    stage.wallMillis += submitted > 0 && completed > submitted ? completed - submitted : 0;
    for (JsonNode accumulable : info.path("Accumulables")) {
      if (accumulable.path("Name").asText().equals("data size")) {
        stage.rawBytes += accumulable.path("Value").asLong();
      }
    }
    end = Math.max(end, completed);
  }

  private JobFacts facts(String place) {
    if (isEmpty) {
      throw new CliException(
          "%s is empty or cut off: its application has written nothing yet, or the copy failed."
              .formatted(place));
    }
    if (start == 0 && stages.isEmpty()) {
      throw new CliException(
          version.isEmpty()
              ? notALog(place)
              : "%s ends before its application has started: copy it again.".formatted(place));
    }
    Map<String, Long> bytesOfQuery = new HashMap<>();
    Map<Integer, StageFacts> all = new TreeMap<>();
    int partitions = 0;
    for (Map.Entry<Integer, Sums> entry : stages.entrySet()) {
      StageFacts stage = entry.getValue().facts();
      all.put(entry.getKey(), stage);
      bytesOfQuery.merge(queries.groupOf(entry.getKey()), stage.heapBytes(), Long::sum);
      if (stage.recordsRead() > 0) {
        partitions = Math.max(partitions, entry.getValue().tasks);
      }
    }
    long peak = bytesOfQuery.values().stream().mapToLong(Long::longValue).max().orElse(0);
    return new JobFacts(
        name,
        version,
        manager,
        Math.max(0, end - start) / MILLIS,
        List.copyOf(all.values()),
        queries.runs(all),
        peak,
        partitions,
        findings.sentences());
  }
}
