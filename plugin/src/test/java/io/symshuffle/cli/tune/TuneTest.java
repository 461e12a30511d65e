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
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.ConfigReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
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
    return report.lines().stream().collect(Collectors.toMap(Line::key, Line::value));
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
  void theFileIsOneThatSparkAndWeCanReadAndFitsTheMachine(
      int cores, long memory, long shared, int gpus) throws IOException {
    MachineFacts machine =
        new MachineFacts(
            cores, memory * GIB, shared * GIB, java.util.Collections.nCopies(gpus, "NVIDIA H200"));
    TuneReport report = TuneReport.of(machine, Optional.empty(), Optional.empty());
    Path file = folder.resolve("spark-defaults.conf");
    Files.writeString(file, report.text());
    Map<String, String> read = SparkDefaults.read(file);
    assertEquals(settings(report), read);
    assertEquals("io.symshuffle.SymShufflePlugin", read.get("spark.plugins"));
    ConfigReader.read(read);
    int executors = cores / Integer.parseInt(read.get("spark.executor.cores"));
    long heap = ByteSize.parse(read.get("spark.symshuffle.heap.size")).bytes();
    long java = ByteSize.parse(read.get("spark.executor.memory")).bytes();
    assertAll(
        () -> assertTrue(executors >= 1),
        () ->
            assertTrue(
                memory < 4 || executors * (heap + java) <= memory * GIB, () -> report.text()),
        () -> assertTrue(shared == 0 || executors * heap <= shared * GIB, () -> report.text()),
        () -> assertEquals(gpus > 0, read.containsKey("spark.symshuffle.device.pes")));
  }

  @Test
  void everyLineHasItsReason() {
    TuneReport report =
        TuneReport.of(
            new MachineFacts(16, 64 * GIB, 32 * GIB, List.of()),
            Optional.empty(),
            Optional.empty());
    assertTrue(report.lines().stream().noneMatch(line -> line.reason().isBlank()));
    assertTrue(report.text().lines().allMatch(line -> line.length() <= 101), report.text());
  }

  @Test
  void aJobThatHardlyShufflesIsToldSo() {
    JobFacts job = job(new StageFacts(100, 1000, 900, 0.1, 0.1, 10_000, 10_000, 1000, 3000));
    List<String> sentences = new Judgement(job).sentences();
    assertTrue(job.prediction().atMostSaved() < 1, sentences.toString());
    assertTrue(sentences.getLast().startsWith("Not worth it"), sentences.toString());
  }

  @Test
  void aJobOfShufflesIsWorthTryingAndNoMoreIsPromisedThanItTook() {
    JobFacts job =
        job(
            new StageFacts(50, 100, 90, 20, 0, 100_000_000, 0, GIB, 0),
            new StageFacts(50, 100, 90, 0, 10, 0, 100_000_000, 0, 0));
    Prediction prediction = job.prediction();
    assertAll(
        () -> assertTrue(prediction.expectedSaved() > 5),
        () -> assertTrue(prediction.expectedSaved() <= prediction.atMostSaved()),
        () -> assertTrue(prediction.atMostSaved() <= 100),
        () -> assertTrue(prediction.shuffleShare() <= 1),
        () -> assertEquals("Worth trying.", new Judgement(job).sentences().getLast()));
  }

  @Test
  void theLogOfARealApplicationIsRead() throws IOException {
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
  void whatIsNoLogIsASentence() throws IOException {
    Path file = folder.resolve("nothing");
    Files.writeString(file, "no json\n");
    CliException failure = assertThrows(CliException.class, () -> EventLog.read(file.toString()));
    assertTrue(failure.getMessage().contains("holds no events"), failure.getMessage());
    String missing = folder.resolve("missing").toString();
    assertThrows(CliException.class, () -> EventLog.read(missing));
    assertThrows(CliException.class, () -> EventLog.find(missing, "app-1"));
  }

  @Test
  void theCommandPrintsJsonForPrograms() throws IOException {
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
  void aSizeThatIsNoneIsWrongUsage() {
    StringWriter err = new StringWriter();
    int status =
        Main.commandLine(new PrintWriter(err, true), new PrintWriter(err, true), false)
            .execute("tune", "--memory", "plenty");
    assertEquals(2, status);
    assertTrue(err.toString().contains("'plenty'"), err.toString());
  }
}
