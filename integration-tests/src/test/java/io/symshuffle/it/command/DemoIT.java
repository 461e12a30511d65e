// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.it.command;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.benchmarks.launch.BuiltCommand;
import io.symshuffle.it.Folders;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The demo as users run it: in its own process, with real applications and the packaged jar. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("full")
class DemoIT {
  private static final String QUERIES = "q1,q3";
  private static final String OPENING =
      "  symshuffle +[0-9.]+ s; (its shuffle takes|the time of its shuffle is below the noise).*";
  private static final String SUMMARY =
      "demo: 2 queries, 0 differ, geometric mean speed-up \\d+\\.\\d\\d";

  /** The tables of {@link #QUERIES}, which the first command generates for all tests. */
  @TempDir private static Path data;

  @TempDir private Path folder;

  @Test
  void comparesBothManagersAndWritesReports() throws Exception {
    Path logs = Files.createDirectories(folder.resolve("logs"));
    ChildProcess.Result demo =
        demo(
                "--scale=0.01",
                "--queries=" + QUERIES,
                "--starts=1",
                "--runs=1",
                // Fewer processes than by default.
                "--master=local-cluster[1,2,2048]",
                "--conf=spark.eventLog.enabled=true",
                "--conf=spark.eventLog.dir=" + logs.toUri())
            .run(Await.LIMIT);
    List<String> lines = demo.output().lines().toList();
    assertAll(
        demo.output(),
        () -> assertEquals(0, demo.status()),
        () ->
            assertTrue(
                demo.output().contains("symshuffle: io.symshuffle.shuffle.SymShuffleManager")),
        () -> assertTrue(isOrdered(lines, OPENING, "q1 ", "q3 ", SUMMARY), "order of the results"),
        () -> assertEquals("Report: " + folder.resolve("out/demo.html"), lines.getLast()),
        () -> assertTrue(Files.readString(folder.resolve("out/demo.html")).contains(">q3<")),
        () -> assertTrue(Files.size(folder.resolve("out/demo.json")) > 0),
        () -> assertEquals(4, Files.readAllLines(folder.resolve("out/rows/q1.sort.txt")).size()));
    predictFromLog(logs);
  }

  @Test
  void applicationsRunOneAtATimeAndTheirResultsAreCompared() throws Exception {
    Path logs = Files.createDirectories(folder.resolve("logs"));
    ChildProcess.Result demo =
        demo(
                "--scale=0.01",
                "--queries=q1",
                "--runs=1",
                "--warm-ups=0",
                "--starts=2",
                "--master=local[1]",
                "--conf=spark.eventLog.enabled=true",
                "--conf=spark.eventLog.compress=false",
                "--conf=spark.eventLog.dir=" + logs.toUri())
            .run(Await.LIMIT);
    JsonNode report = new ObjectMapper().readTree(folder.resolve("out/demo.json").toFile());
    assertAll(
        demo.output(),
        () -> assertEquals(0, demo.status()),
        () -> assertEquals(2, report.at("/plan/starts").asInt()),
        () -> assertTrue(report.path("complete").asBoolean()),
        () -> assertEquals(4, report.at("/info/applicationIds").size()),
        () -> assertEquals(2, report.at("/results/0/outcome/entries/0/seconds").size()),
        () -> assertEquals(2, report.at("/results/0/outcome/entries/1/seconds").size()),
        () -> assertEquals(2, report.at("/results/0/costs/1/cpuSeconds").size()),
        () -> assertTrue(report.at("/results/0/costs/1/stages/0/runSeconds").asDouble() > 0),
        () -> assertEquals(4, Files.readAllLines(folder.resolve("out/rows/q1.sort.txt")).size()));
    // Each application ends before the next one starts, and which one is first alternates.
    List<String> names = new ArrayList<>();
    long end = 0;
    for (JsonNode id : report.at("/info/applicationIds")) {
      List<JsonNode> events = events(logs, id.asText());
      JsonNode start = event(events, "SparkListenerApplicationStart");
      assertTrue(start.path("Timestamp").asLong() >= end, demo::output);
      end = event(events, "SparkListenerApplicationEnd").path("Timestamp").asLong();
      names.add(start.path("App Name").asText());
    }
    assertEquals(List.of("sort", "symshuffle", "symshuffle", "sort"), names);
  }

  private static List<JsonNode> events(Path logs, String application) throws IOException {
    List<JsonNode> events = new ArrayList<>();
    ObjectMapper mapper = new ObjectMapper();
    try (Stream<Path> files = Files.walk(logs)) {
      for (Path file :
          files
              .filter(Files::isRegularFile)
              .filter(file -> file.getFileName().toString().contains(application))
              .filter(file -> !file.getFileName().toString().matches("(appstatus|\\.).*"))
              .toList()) {
        for (String line : Files.readAllLines(file)) {
          events.add(mapper.readTree(line));
        }
      }
    }
    return events;
  }

  private static JsonNode event(List<JsonNode> events, String name) {
    return events.stream()
        .filter(event -> event.path("Event").asText().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** Returns whether there are lines that match these patterns, or begin with them, in order. */
  private static boolean isOrdered(List<String> lines, String... patterns) {
    int next = 0;
    for (String line : lines) {
      if (next < patterns.length
          && (line.startsWith(patterns[next]) || line.matches(patterns[next]))) {
        next++;
      }
    }
    return next == patterns.length;
  }

  /** Predicts the savings of each query from the event log of the run with sort shuffle. */
  private void predictFromLog(Path logs) throws Exception {
    JsonNode report = new ObjectMapper().readTree(folder.resolve("out/demo.json").toFile());
    String sort = report.at("/info/applicationIds/0").asText();
    Path log;
    try (Stream<Path> files = Files.list(logs)) {
      log = files.filter(file -> file.toString().contains(sort)).findFirst().orElseThrow();
    }
    String output =
        BuiltCommand.of(List.of("tune", "--json", "--event-log", log.toString()))
            .run(Await.LIMIT)
            .output();
    assertFalse(output.matches("(?s).*(log4j|WARN|INFO).*"), output);
    // The JVM names the options that it picks up from its environment.
    String json = output.substring(Math.max(0, output.indexOf("{\n")));
    JsonNode queries = new ObjectMapper().readTree(json).path("job").path("queries");
    assertAll(
        output,
        () -> assertTrue(queries.findValuesAsText("query").containsAll(List.of("q1", "q3"))),
        () -> queries.forEach(DemoIT::assertBounds));
  }

  /**
   * The queries shuffle, so savings are possible. The runs are too short to check how large they
   * are.
   */
  private static void assertBounds(JsonNode prediction) {
    double min = prediction.path("savedExpectedSeconds").asDouble();
    double max = prediction.path("savedAtMostSeconds").asDouble();
    assertTrue(min <= max, prediction::toString);
    if (List.of("q1", "q3").contains(prediction.path("query").asText())) {
      assertTrue(min > 0, prediction::toString);
    }
  }

  @Test
  void ctrlCEndsAllProcessesLeavesNothingInMemoryAndReturnsStatus130() throws Exception {
    // The driver and its two executors.
    endsCleanlyAfterCtrlC(
        (demo, heaps) ->
            demo.handle().descendants().count() >= 3
                && count(heaps, ".heap") == 2
                && demo.output().contains("SymShuffleManager, 2 executors"));
  }

  /** Spark's cluster replaces the executors that it ends until the application has ended. */
  @Test
  void ctrlCWhileExecutorsStartLeavesNothingInMemory() throws Exception {
    endsCleanlyAfterCtrlC((demo, heaps) -> count(heaps, ".heap") > 0);
  }

  @Test
  void demoThatIsCutOffInItsSecondApplicationReportsTheTimesOfTheFirst() throws Exception {
    try (ChildProcess demo =
        demo("--scale=0.01", "--queries=q1", "--starts=1", "--runs=1", "--master=local[1]")
            .start()) {
      demo.awaitOutput(Pattern.compile("symshuffle: io.symshuffle.*Manager"), Await.LIMIT);
      demo.signal("INT");
      assertEquals(130, demo.awaitEnd(Await.LIMIT), demo::output);
      List<String> lines = demo.output().lines().toList();
      assertAll(
          demo.output(),
          () -> assertTrue(isOrdered(lines, "  sort +[0-9.]+ s; .*", "q1 +[0-9.]+ .*")),
          () ->
              assertTrue(
                  lines
                      .getLast()
                      .startsWith("Cut off in or after application 2 of 2 (symshuffle)")),
          () -> assertTrue(lines.getLast().contains("Marked as incomplete: ")));
    }
  }

  private void endsCleanlyAfterCtrlC(BiPredicate<ChildProcess, Path> moment) throws Exception {
    Path heaps = Files.createTempDirectory(Path.of("/dev/shm"), "it-symshuffle-");
    try (ChildProcess demo =
        demo(
                "--scale=0.01",
                "--queries=" + QUERIES,
                "--runs=1000",
                "--managers=symshuffle",
                "--conf=spark.symshuffle.heap.dir=" + heaps)
            .start()) {
      long deadline = System.nanoTime() + Await.LIMIT.toNanos();
      while (!moment.test(demo, heaps)) {
        assertTrue(demo.isAlive() && System.nanoTime() < deadline, demo::output);
        Thread.sleep(20);
      }
      List<ProcessHandle> children = demo.handle().descendants().toList();
      demo.signal("INT");
      int status = demo.awaitEnd(Await.LIMIT);
      // A process that was killed is there until another one collects it.
      Await.holdsWithin(Await.LIMIT, () -> children.stream().noneMatch(ProcessHandle::isAlive));
      assertAll(
          demo.output(),
          () -> assertEquals(130, status),
          () -> assertTrue(demo.output().contains("Interrupted: ending the applications, whose")),
          () -> assertFalse(demo.output().contains("symshuffle: The application")),
          () -> assertEquals(List.of(), children.stream().filter(ProcessHandle::isAlive).toList()),
          () -> assertEquals(0, count(heaps, ""), "files in " + heaps));
    } finally {
      Folders.delete(heaps);
    }
  }

  /** Counts files whose names end like this; files may vanish meanwhile. */
  private static long count(Path heaps, String end) {
    try (Stream<Path> files = Files.walk(heaps)) {
      return files
          .filter(file -> file.toString().endsWith(end) && Files.isRegularFile(file))
          .count();
    } catch (IOException | UncheckedIOException e) {
      return 0;
    }
  }

  private ChildProcess.Builder demo(String... options) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("demo"));
    arguments.addAll(List.of("--data", data.toString()));
    arguments.addAll(List.of("--out", folder.resolve("out").toString()));
    arguments.addAll(Arrays.asList(options));
    return BuiltCommand.of(arguments);
  }
}
