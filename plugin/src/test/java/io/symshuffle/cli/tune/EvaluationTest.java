// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Main;
import io.symshuffle.cli.tune.Bounds.Verdict;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EvaluationTest {
  @TempDir private Path folder;

  private static final String OURS = "io.symshuffle.shuffle.SymShuffleManager";

  /** One stage on two cores that wrote and one that read so many records. */
  private static QueryRun run(String name, double seconds, long records) {
    return new QueryRun(
        name,
        seconds,
        List.of(
            new StageFacts(seconds / 2, seconds, seconds / 2, 0, 0, records, 0, 16 * records, 0),
            new StageFacts(seconds / 2, seconds, seconds / 4, 0, 0, 0, records, 0, 0)));
  }

  private static JobFacts job(String manager, QueryRun... runs) {
    return new JobFacts(
        "an application", "4.2.0", manager, 100, List.of(), List.of(runs), 0, 0, Map.of());
  }

  private static Outcome outcome(Outcome.TimedQuery... queries) {
    return new Outcome("app-1", "app-2", 1, Map.of("note", "quiet"), List.of(queries));
  }

  @Test
  void warmUpsCountForNothingAndRunsByTheirMedian() {
    JobFacts sort =
        job(
            "",
            run("q1", 90, 9_000_000),
            run("q2", 1, 0),
            run("q1", 10, 1_000_000),
            run("q2", 2, 0),
            run("q1", 12, 1_000_000),
            run("q1", 14, 1_000_000));
    JobFacts ours =
        job(
            OURS,
            run("q1", 1, 0),
            run("q2", 1, 0),
            run("q2", 2, 0),
            run("q1", 11, 0),
            run("q1", 11.8, 0),
            run("q1", 13, 0));
    Evaluation evaluation =
        Evaluation.of(
            sort,
            ours,
            outcome(
                new Outcome.TimedQuery("q1", List.of(10.1, 12.1, 14.1), List.of(12.0, 11.0, 11.8)),
                new Outcome.TimedQuery("q2", List.of(2.05), List.of(2.0))));
    ComparedQuery first = evaluation.queries().getFirst();
    assertAll(
        () -> assertEquals(3, first.prediction().runs()),
        () -> assertEquals(12, first.prediction().seconds(), 1e-9),
        () -> assertEquals(0.3, first.clock().saved(), 1e-9),
        // Runs of 10.1 to 14.1 s and of 11.0 to 12.0 s.
        () -> assertEquals(2.5, first.clock().noise(), 1e-9),
        // A million records at 0.81 and 0.23 us on two cores.
        () -> assertEquals(0.405, first.clock().most(), 1e-9),
        () -> assertEquals(0.115, first.clock().least(), 1e-9),
        () -> assertEquals(0.81, first.cores().most(), 1e-9),
        () -> assertEquals(0.23, first.cores().least(), 1e-9),
        () -> assertEquals(0.75 * (12 - 11.8), first.cores().saved(), 1e-9),
        () -> assertEquals(1, evaluation.count(ComparedQuery::clock, Verdict.CANNOT_TELL)),
        () -> assertEquals(1, evaluation.count(ComparedQuery::clock, Verdict.AS_PREDICTED)),
        () -> assertEquals(0.35, evaluation.sum(ComparedQuery::clock).saved(), 1e-9));
  }

  @ParameterizedTest
  @CsvSource({
    "10, 9.0, 0, AS_PREDICTED",
    "10, 8.1, 0, AS_PREDICTED",
    "10, 9.69, 0, AS_PREDICTED",
    "10, 9.71, 0, LESS",
    "10, 10.5, 0, LESS",
    "10, 7.69, 0, MORE",
    "10, 7.71, 0, AS_PREDICTED",
    "10, 10.5, 1.09, LESS",
    "10, 10.5, 1.11, AS_PREDICTED",
    "10, 10.5, 1.99, AS_PREDICTED",
    "10, 10.5, 2.01, CANNOT_TELL",
    "10, 5.5, 2.49, MORE",
    "10, 7.69, 1, AS_PREDICTED",
  })
  void aVerdictLeavesRoomForNoise(double sort, double ours, double scatter, Verdict verdict) {
    assertEquals(verdict, new Bounds(0.6, 2, sort, ours, scatter).verdict());
  }

  @Test
  void logsOfAnotherRunAreRefused() {
    Outcome outcome = outcome(new Outcome.TimedQuery("q1", List.of(1.0), List.of(1.0)));
    JobFacts sort = job("", run("q1", 1, 0), run("q1", 1, 0));
    JobFacts ours = job(OURS, run("q1", 1, 0), run("q1", 1, 0));
    assertAll(
        () -> assertRefused("q1 ran 0 times", job("", run("q2", 1, 0)), ours, outcome),
        () -> assertRefused("q1 ran 1 times", sort, job(OURS, run("q1", 1, 0)), outcome),
        () -> assertRefused("app-1 must be that of sort", ours, sort, outcome),
        () -> assertRefused("app-1 must be that of sort", sort, sort, outcome));
  }

  private static void assertRefused(String reason, JobFacts sort, JobFacts ours, Outcome outcome) {
    CliException failure =
        assertThrows(CliException.class, () -> Evaluation.of(sort, ours, outcome));
    assertTrue(failure.getMessage().contains(reason), failure.getMessage());
  }

  @Test
  void theCommandFindsTheLogsOfTheRunAndComparesItsQueries() throws IOException {
    Path logs = Files.createDirectories(folder.resolve("logs"));
    String sort = writeLog(logs, false);
    String ours = writeLog(logs, true);
    Path json = writeOutcome(sort, ours);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    String[] arguments = {"--event-log", logs.toString(), "--outcome", json.toString()};
    int status = tune(out, err, "--json", arguments[0], arguments[1], arguments[2], arguments[3]);
    assertEquals(0, status, err.toString());
    JsonNode evaluation = new ObjectMapper().readTree(out.toString()).path("evaluation");
    JsonNode query = evaluation.path("queries").path(0);
    assertAll(
        evaluation.toString(),
        () -> assertEquals(1, evaluation.path("queries").size()),
        () -> assertEquals("one exchange", query.path("query").asText()),
        () -> assertEquals(2, query.path("runs").asInt()),
        () -> assertTrue(query.path("clock").path("savedExpectedSeconds").asDouble() > 0),
        () -> assertEquals(0.5, query.path("clock").path("savedSeconds").asDouble(), 1e-9),
        () -> assertTrue(query.path("cores").path("sortSeconds").asDouble() > 0),
        () -> assertTrue(query.path("cores").path("symshuffleSeconds").asDouble() > 0),
        () -> assertEquals("a note", evaluation.path("measured").path("note").asText()));
    StringWriter text = new StringWriter();
    assertEquals(0, tune(text, err, arguments));
    assertTrue(text.toString().contains("1.75 s      1.25 s"), text.toString());
    StringWriter alone = new StringWriter();
    assertEquals(0, tune(alone, err, "--event-log", EventLog.find(logs.toString(), sort)));
    assertTrue(alone.toString().contains("#   one exchange     3"), alone.toString());
  }

  @Test
  void aReportThatCannotBeComparedIsASentence() throws IOException {
    String logs = Files.createDirectories(folder.resolve("logs")).toString();
    String report = writeOutcome("app-1", "app-2").toString();
    String other = folder.resolve("other.json").toString();
    Files.writeString(
        Path.of(other), Files.readString(Path.of(report)).replace("\"sort\", ", "\"other\", "));
    String none = folder.resolve("none.json").toString();
    Files.writeString(Path.of(none), "{}");
    assertAll(
        () -> assertFails(1, "compares other, symshuffle", logs, other),
        () -> assertFails(1, "is no report", logs, none),
        () -> assertFails(1, "missing.json cannot be read", logs, "missing.json"),
        () -> assertFails(1, "no event log of the application app-1", logs, report),
        () ->
            assertFails(1, "missing cannot be read", folder.resolve("missing").toString(), report),
        () -> assertEquals(2, tune(new StringWriter(), new StringWriter(), "--outcome", none)));
  }

  private static void assertFails(int status, String reason, String logs, String outcome) {
    StringWriter err = new StringWriter();
    int found = tune(new StringWriter(), err, "--event-log", logs, "--outcome", outcome);
    assertEquals(status, found, err.toString());
    assertTrue(err.toString().contains(reason), err.toString());
  }

  private static int tune(StringWriter out, StringWriter err, String... arguments) {
    return Main.commandLine(new PrintWriter(out, true), new PrintWriter(err, true), false)
        .execute(
            java.util.stream.Stream.concat(
                    java.util.stream.Stream.of("tune"), java.util.Arrays.stream(arguments))
                .toArray(String[]::new));
  }

  /** Three runs of a query under its name, and one that fails; returns the application's id. */
  private static String writeLog(Path logs, boolean ours) throws IOException {
    SparkSession.Builder builder =
        SparkSession.builder()
            .master("local[2]")
            .appName(ours ? "ours" : "sort")
            .config("spark.ui.enabled", "false")
            .config("spark.eventLog.enabled", "true")
            .config("spark.eventLog.dir", logs.toUri().toString());
    if (ours) {
      // What the log says is all that counts here.
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
      return spark.sparkContext().applicationId();
    }
  }

  private Path writeOutcome(String sort, String ours) throws IOException {
    Path json = folder.resolve("demo.json");
    Files.writeString(
        json,
        """
        {"info": {"applicationIds": ["%s", "%s"], "started": "2026-01-02T03:04:05Z"},
         "warmUps": 1, "runs": 2, "note": "a note", "managers": ["sort", "symshuffle"],
         "queries": [
          {"name": "one exchange", "difference": "", "entries": [
            {"manager": "sort", "seconds": [1.5, 2.0]},
            {"manager": "symshuffle", "seconds": [1.25, 1.25]}]},
          {"name": "failed", "difference": "", "entries": [
            {"manager": "sort", "seconds": []},
            {"manager": "symshuffle", "seconds": [1.25, 1.25]}]}]}
        """
            .formatted(sort, ours));
    return json;
  }
}
