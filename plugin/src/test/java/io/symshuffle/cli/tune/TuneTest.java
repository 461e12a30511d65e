// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Main;
import io.symshuffle.cli.SparkDefaults;
import io.symshuffle.heap.MemoryLimits;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.ClusterSettings;
import io.symshuffle.plugin.config.ConfigReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TuneTest {
  private static final long GIB = 1L << 30;

  @TempDir private Path folder;

  private static Map<String, String> settings(TuneReport report) {
    return report.settings().stream()
        .collect(Collectors.toMap(Recommendation::key, Recommendation::value));
  }

  private static JobFacts job(StageFacts... stages) {
    return new JobFacts("job", "4.2.0", "", 100, List.of(stages), List.of(), 8 * GIB, 64, Map.of());
  }

  @ParameterizedTest
  @CsvSource({
    "2,4,2,0",
    "2,24,12,0",
    "16,64,32,0",
    "128,1024,512,4",
    "32,256,0,2",
    "96,384,192,0",
    "1,1,0,0",
    "8,16,1,1"
  })
  void recommendsValidSettingsThatFitMachine(int cores, long memory, long shared, int gpus)
      throws IOException {
    MachineFacts machine =
        new MachineFacts(
            cores, memory * GIB, shared * GIB, Collections.nCopies(gpus, "NVIDIA H200"));
    TuneReport report = TuneReport.of(machine, Optional.empty());
    Path file = folder.resolve("spark-defaults.conf");
    Files.writeString(file, report.text());
    Map<String, String> read = SparkDefaults.read(file);
    assertEquals(settings(report), read);
    assertEquals("io.symshuffle.SymShufflePlugin", read.get("spark.plugins"));
    ConfigReader.read(read);
    int executors = cores / Integer.parseInt(read.get("spark.executor.cores"));
    long heap = ByteSize.parse(read.get("spark.symshuffle.heap.size")).bytes();
    long java = ByteSize.parse(read.get("spark.executor.memory")).bytes();
    long overhead = ByteSize.parse(read.get("spark.executor.memoryOverhead")).bytes();
    long jvm = MemoryLimits.jvmBytes(java);
    assertAll(
        () -> assertTrue(executors >= 1),
        () ->
            assertTrue(
                java + overhead >= heap + jvm + ClusterSettings.MAPPED_PEER_BYTES,
                () -> report.text()),
        () ->
            assertTrue(
                memory < 8 || executors * (java + overhead) <= memory * GIB, () -> report.text()),
        () ->
            assertTrue(
                memory < 4 || executors * (heap + java) <= memory * GIB, () -> report.text()),
        () -> assertTrue(shared == 0 || executors * heap <= shared * GIB, () -> report.text()),
        () -> assertEquals(gpus > 0, read.containsKey("spark.symshuffle.device.pes")));
  }

  @Test
  void givesReasonForEverySetting() {
    TuneReport report =
        TuneReport.of(new MachineFacts(16, 64 * GIB, 32 * GIB, List.of()), Optional.empty());
    assertTrue(report.settings().stream().noneMatch(setting -> setting.reason().isBlank()));
    assertTrue(report.text().lines().allMatch(line -> line.length() <= 101), report.text());
  }

  @Test
  void advisesAgainstJobThatHardlyShuffles() {
    JobFacts job = job(new StageFacts(100, 1000, 0.1, 0.1, 10_000, 10_000, 1000, 3000));
    List<String> sentences = new Assessment(job).sentences();
    assertTrue(job.prediction().atMostSaved() < 1, sentences.toString());
    assertTrue(sentences.getLast().startsWith("Not worth it"), sentences.toString());
  }

  @Test
  void predictsAtMostTheTimeThatShufflesTook() {
    JobFacts job =
        job(
            new StageFacts(50, 100, 20, 0, 100_000_000, 0, GIB, 0),
            new StageFacts(50, 100, 0, 10, 0, 100_000_000, 0, 0));
    Prediction prediction = job.prediction();
    assertAll(
        () -> assertTrue(prediction.expectedSaved() > 5),
        () -> assertTrue(prediction.expectedSaved() <= prediction.atMostSaved()),
        () -> assertTrue(prediction.atMostSaved() <= 100),
        () -> assertTrue(prediction.shuffleShare() <= 1),
        () -> assertEquals("Worth trying.", new Assessment(job).sentences().getLast()));
  }

  @Test
  void readsEventLogOfRealApplication() throws IOException {
    for (boolean compressed : new boolean[] {false, true}) {
      Path logs = Files.createDirectories(folder.resolve("logs-" + compressed));
      try (SparkSession spark =
          SparkSession.builder()
              .master("local[2]")
              .appName("one exchange")
              .config("spark.ui.enabled", "false")
              .config("spark.eventLog.enabled", "true")
              .config("spark.eventLog.compress", compressed)
              .config("spark.eventLog.rolling.enabled", compressed)
              .config("spark.eventLog.dir", logs.toUri().toString())
              .getOrCreate()) {
        long rows =
            spark
                .range(0, 50_000, 1, 2)
                .repartition(8, functions.col("id"))
                .selectExpr("sum(id)")
                .count();
        assertEquals(1, rows);
      }
      String log;
      try (Stream<Path> files = Files.list(logs)) {
        log = files.findFirst().orElseThrow().toString();
      }
      JobFacts facts = EventLog.read(log);
      assertAll(
          () -> assertEquals("one exchange", facts.name()),
          () -> assertTrue(facts.sum().recordsWritten() >= 50_000, facts.toString()),
          () -> assertTrue(facts.sum().recordsRead() >= 50_000, facts.toString()),
          () -> assertTrue(facts.peakBytes() >= 50_000 * 16, facts.toString()),
          () -> assertTrue(facts.seconds() > 0, facts.toString()),
          () -> assertFalse(facts.ranOnSymShuffle()));
    }
  }

  @Test
  void predictsMedianOfRunsPerQuery() {
    List<QueryPrediction> predictions =
        QueryPrediction.ofAll(
            List.of(
                run("q1", 10, 1_000_000),
                run("q2", 2, 0),
                run("q1", 14, 1_000_000),
                run("q2", 1, 0),
                run("q1", 12, 1_000_000)));
    QueryPrediction first = predictions.getFirst();
    assertAll(
        () -> assertEquals("q1", first.name()),
        () -> assertEquals(3, first.runs()),
        () -> assertEquals(12, first.seconds(), 1e-9),
        // A million records at 0.81 and 0.23 us on two cores.
        () -> assertEquals(0.405, first.atMostSaved(), 1e-9),
        () -> assertEquals(0.115, first.expectedSaved(), 1e-9),
        () -> assertEquals(0.81 / 24, first.shuffleShare(), 1e-9),
        () -> assertEquals(2, predictions.size()),
        () -> assertEquals(1.5, predictions.getLast().seconds(), 1e-9),
        () -> assertEquals(0, predictions.getLast().atMostSaved(), 1e-9));
  }

  /** A run on two cores with a stage that writes and a stage that reads the records. */
  private static QueryRun run(String name, double seconds, long records) {
    return new QueryRun(
        name,
        seconds,
        List.of(
            new StageFacts(seconds / 2, seconds, 0, 0, records, 0, 16 * records, 0),
            new StageFacts(seconds / 2, seconds, 0, 0, 0, records, 0, 0)));
  }

  @Test
  void predictsSuccessfulQueriesOfLog() throws IOException {
    String sort = tune("--event-log", writeLog(false));
    assertTrue(sort.contains("#   one exchange     3"), sort);
    var job = new ObjectMapper().readTree(tune("--json", "--event-log", writeLog(false)));
    var queries = job.path("job").path("queries");
    assertAll(
        queries.toString(),
        () -> assertEquals(List.of("one exchange"), queries.findValuesAsText("query")),
        () -> assertTrue(queries.path(0).path("savedExpectedSeconds").asDouble() > 0));
  }

  @Test
  void predictsNothingForLogOfSymShuffle() throws IOException {
    String ours = tune("--event-log", writeLog(true));
    assertAll(
        () -> assertTrue(ours.contains("It already ran on SymShuffle"), ours),
        () -> assertFalse(ours.contains("saves >="), ours));
  }

  private static String tune(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status =
        Main.commandLine(new PrintWriter(out, true), new PrintWriter(err, true), false)
            .execute(Stream.concat(Stream.of("tune"), Stream.of(arguments)).toArray(String[]::new));
    assertEquals(0, status, err.toString());
    return out.toString();
  }

  /** Three runs of a query and one that fails; returns the event log. */
  private String writeLog(boolean onSymShuffle) throws IOException {
    Path logs = Files.createTempDirectory(folder, "logs");
    SparkSession.Builder builder =
        SparkSession.builder()
            .master("local[2]")
            .appName("three runs")
            .config("spark.ui.enabled", "false")
            .config("spark.eventLog.enabled", "true")
            .config("spark.eventLog.dir", logs.toUri().toString());
    if (onSymShuffle) {
      // Only the manager's name in the log matters here.
      builder.config("spark.shuffle.manager", RenamedShuffleManager.class.getName());
    }
    try (SparkSession spark = builder.getOrCreate()) {
      spark.sparkContext().setJobDescription("one exchange");
      for (int run = 0; run < 3; run++) {
        long rows =
            spark.range(0, 50_000, 1, 2).repartition(4, functions.col("id")).collectAsList().size();
        assertEquals(50_000, rows);
      }
      assertThrows(
          Exception.class,
          () -> spark.range(1).selectExpr("raise_error('on purpose')").collectAsList());
    }
    try (Stream<Path> files = Files.list(logs)) {
      return files.findFirst().orElseThrow().toString();
    }
  }

  @Test
  void reportsFilesThatAreNotEventLogs() throws IOException {
    Path file = folder.resolve("nothing");
    Files.writeString(file, "no json\n");
    CliException failure = assertThrows(CliException.class, () -> EventLog.read(file.toString()));
    assertTrue(failure.getMessage().contains("contains no events"), failure.getMessage());
    String missing = folder.resolve("missing").toString();
    assertThrows(CliException.class, () -> EventLog.read(missing));
    Path page = Files.writeString(folder.resolve("README.md"), "# A page\n");
    assertThrows(CliException.class, () -> EventLog.read(page.toString()));
  }

  @Test
  void printsJson() throws IOException {
    StringWriter out = new StringWriter();
    int status =
        Main.commandLine(new PrintWriter(out, true), new PrintWriter(out, true), false)
            .execute("tune", "--json", "--cores", "8", "--memory", "32g", "--gpus", "0");
    var json = new ObjectMapper().readTree(out.toString());
    assertEquals(0, status);
    assertEquals(8, json.get("machine").get("cores").asInt());
    assertTrue(json.get("settings").size() >= 5);
  }

  @Test
  void rejectsInvalidSize() {
    StringWriter err = new StringWriter();
    int status =
        Main.commandLine(new PrintWriter(err, true), new PrintWriter(err, true), false)
            .execute("tune", "--memory", "plenty");
    assertEquals(2, status);
    assertTrue(err.toString().contains("'plenty'"), err.toString());
  }
}
