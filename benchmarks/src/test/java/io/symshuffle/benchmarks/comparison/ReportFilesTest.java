// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.protocol.ShuffleFigures;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.OtherWork;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportFilesTest {
  private final StringWriter printed = new StringWriter();

  @TempDir private Path folder;
  private Path json;
  private Path page;
  private ReportFiles files;

  @BeforeEach
  void create() throws IOException {
    json = folder.resolve("demo.json");
    page = folder.resolve("demo.html");
    Files.writeString(json, "{\"an\":\"earlier run\"}");
    PrintWriter out = new PrintWriter(printed);
    files =
        new ReportFiles(
            SampleReports.plan(List.of(), List.of("q1", "q2")),
            SampleReports.MANAGERS,
            json,
            page,
            new OtherWork(),
            new Console(out, false));
    files.started(SampleReports.info());
  }

  @Test
  void nothingOfAnEarlierRunIsLeftBeforeTheFirstResult() throws IOException {
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertAll(
        () -> assertFalse(report.path("complete").asBoolean(true)),
        () -> assertEquals(0, report.path("results").size()),
        () -> assertFalse(report.has("an")));
  }

  @Test
  void runThatIsCutOffLeavesItsResultsMarkedAsIncomplete() throws IOException {
    files.add(result("q1", 2, 1));
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    String incomplete = "demo: 1 query, 0 differ, geometric mean speed-up 2.00 ±0%; incomplete, 2";
    assertAll(
        () -> assertFalse(report.path("complete").asBoolean(true)),
        () -> assertEquals("q1", report.at("/results/0/job").asText()),
        () -> assertTrue(report.path("summary").asText().startsWith(incomplete)),
        () -> assertTrue(Files.readString(page).contains(">incomplete<")),
        () ->
            assertEquals(
                "\n"
                    + "Cut off in or after application 2 of 2 (symshuffle): all managers ran 1 of 2"
                    + " queries, 1 as"
                    + " often as planned. Marked as incomplete: %s, %s".formatted(page, json),
                files.state()));
  }

  @Test
  void completeRunHasEveryRunAndTheTotals() throws IOException {
    files.add(result("q1", 2, 1));
    files.add(result("q2", 1, 1));
    assertTrue(files.finish());
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertAll(
        () -> assertTrue(report.path("complete").asBoolean()),
        () -> assertEquals(2, report.path("results").size()),
        () -> assertEquals(0, report.path("differing").asInt(-1)),
        () -> assertEquals(1, report.at("/plan/scale").asDouble()),
        () -> assertFalse(report.path("plan").has("jobs"), "requests are not for readers"),
        () -> assertEquals(2, report.at("/info/machine/cores").asInt()),
        () -> assertEquals(3, report.at("/results/0/outcome/entries/1/seconds").size()),
        () -> assertEquals(3, report.at("/totals/0/seconds/0").asDouble(), 1e-9),
        () ->
            assertTrue(
                printed.toString().matches("(?s).*total +3.00 +2.00\\n.*"), printed::toString),
        () -> assertFalse(Files.readString(page).contains("incomplete")),
        () ->
            assertTrue(
                printed
                    .toString()
                    .contains("\ndemo: 2 queries, 0 differ, geometric mean speed-up 1.41 ±0%\n"),
                printed::toString),
        () -> assertTrue(printed.toString().strip().endsWith("Report: " + page)));
  }

  @Test
  void openingCaseIsTheFirstResultAndInAllReports() throws IOException {
    Outcome base = SampleReports.outcome("repartition base", 1, 1);
    Outcome whole = SampleReports.outcome("repartition", 5, 3);
    files.opening(new Result("", "repartition", 4_000_000, 64, whole, base, List.of()));
    String pageText = Files.readString(page);
    assertAll(
        () ->
            assertEquals(
                List.of(
                    "",
                    "A job that only shuffles: 4,000,000 rows into 64 partitions",
                    "  without the shuffle      1.00 s",
                    "  sort                     5.00 s; its shuffle takes 4.00 s",
                    "  symshuffle               3.00 s; its shuffle takes 2.00 s, times less: 2.00"
                        + " ±9%"),
                printed.toString().lines().toList()),
        () -> assertTrue(pageText.contains(">2.00×</b><span>cheaper shuffle of 4,000,000 rows")),
        () ->
            assertEquals(
                4_000_000, new ObjectMapper().readTree(json.toFile()).at("/opening/rows").asInt()));
  }

  @Test
  void openingCaseClaimsNoGainFromTimesBelowTheNoise() throws IOException {
    Outcome base = SampleReports.outcome("repartition base", 4, 4);
    Outcome whole = SampleReports.outcome("repartition", 5, 3);
    files.opening(new Result("", "repartition", 10, 64, whole, base, List.of()));
    assertEquals(
        List.of(
            "",
            "A job that only shuffles: 10 rows into 64 partitions",
            "  without the shuffle      4.00 s",
            "  sort                     5.00 s; its shuffle takes 1.00 s",
            "  symshuffle               3.00 s; the time of its shuffle is below the noise"),
        printed.toString().lines().toList());
  }

  /** With the scatter of a machine that does other work, too. */
  @Test
  void openingCaseSaysNothingThatItsRunsDoNotSupport() throws IOException {
    Outcome base = ofRuns("repartition base", List.of(3.9, 4.0, 4.1), List.of(3.9, 4.0, 4.1));
    files.opening(
        opening(ofRuns("repartition", List.of(6.0, 6.1, 6.2), List.of(4.0, 4.2, 6.0)), base));
    assertTrue(
        printed
            .toString()
            .endsWith(
                "  symshuffle               4.20 s; the time of its shuffle is below the noise\n"),
        printed::toString);
    assertFalse(Files.readString(page).contains("cheaper shuffle"));
    files.opening(
        opening(ofRuns("repartition", List.of(6.0, 8.0, 11.0), List.of(4.5, 5.2, 4.6)), base));
    assertTrue(
        printed
            .toString()
            .endsWith(
                "  symshuffle               4.60 s; its shuffle takes 0.600 s; the runs scatter too"
                    + " much to say how many times less\n"),
        printed::toString);
    assertTrue(
        Files.readString(page)
            .contains(
                ">unclear</b><span>cheaper shuffle of 10 rows with symshuffle: the runs scatter too"
                    + " much<"));
  }

  private static Result opening(Outcome whole, Outcome base) {
    return new Result("", "repartition", 10, 64, whole, base, List.of());
  }

  private static Outcome ofRuns(String name, List<Double> sort, List<Double> symshuffle) {
    return new Outcome(
        name,
        List.of(
            new Entry("sort", sort, 10, ShuffleFigures.NONE, ""),
            new Entry("symshuffle", symshuffle, 10, ShuffleFigures.NONE, "")),
        "",
        false,
        3);
  }

  @Test
  void openingCaseWithDifferentResultsMakesTheRunFail() throws IOException {
    Outcome whole = SampleReports.outcome("repartition", 5, 3);
    Outcome differs = new Outcome("repartition", whole.entries(), "1 of 1 rows differ", false, 3);
    Outcome base = SampleReports.outcome("repartition base", 1, 1);
    files.opening(new Result("", "repartition", 10, 64, differs, base, List.of()));
    files.add(result("q1", 2, 1));
    files.add(result("q2", 1, 1));
    assertFalse(files.finish());
    assertTrue(printed.toString().contains("  1 of 1 rows differ"), printed::toString);
  }

  @Test
  void resultWithoutTheRunsOfAManagerIsKeptButNotPrinted() throws IOException {
    files.add(new Result("", "q1", 0, 0, SampleReports.firstOnly("q1", 2), null, List.of()));
    JsonNode partial = new ObjectMapper().readTree(json.toFile());
    files.add(result("q1", 2, 1));
    JsonNode whole = new ObjectMapper().readTree(json.toFile());
    assertAll(
        () -> assertEquals(3, partial.at("/results/0/outcome/entries/0/seconds").size()),
        () -> assertEquals(0, partial.at("/results/0/outcome/entries/1/seconds").size()),
        () -> assertEquals(0, partial.path("failed").asInt(-1)),
        () -> assertEquals(1, whole.path("results").size()),
        () -> assertEquals(3, whole.at("/results/0/outcome/entries/1/seconds").size()),
        () -> assertEquals(2, printed.toString().split("q1 ", -1).length, printed::toString),
        () -> assertTrue(files.state().contains("all managers ran 1 of 2 queries"), files::state));
  }

  /** The first application has run twice as often: q1 has a ratio, and q2 one time. */
  @Test
  void runThatIsCutOffInTheSecondApplicationHasWhatBothHaveRunAndTheTimesOfTheFirst()
      throws IOException {
    Plan plan = SampleReports.startedTwice("q1", "q2");
    files =
        new ReportFiles(
            plan,
            SampleReports.MANAGERS,
            json,
            page,
            new OtherWork(),
            new Console(new PrintWriter(printed), false));
    files.started(SampleReports.info());
    files.opening(
        opening(SampleReports.firstOnly("repartition", 5), SampleReports.firstOnly("base", 1)));
    files.add(new Result("", "q1", 0, 0, SampleReports.outcome("q1", 2, 1), null, List.of()));
    files.add(new Result("", "q2", 0, 0, SampleReports.firstOnly("q2", 3), null, List.of()));
    List<String> lines = files.state().lines().toList();
    String html = Files.readString(page);
    assertAll(
        files.state(),
        () -> assertEquals("", printed.toString(), "no result has all runs"),
        () ->
            assertEquals(
                "  sort                     5.00 s; its shuffle takes 4.00 s", lines.get(3)),
        () -> assertEquals("  symshuffle                  -", lines.get(4)),
        () -> assertTrue(row(lines, "q1").matches("q1 +2.00 +1.00 +2.00 .*")),
        () -> assertTrue(row(lines, "q2").matches("q2 +3.00 +- +- .*")),
        () ->
            assertTrue(
                lines.getLast().startsWith("Cut off in or after application 2 of 4 (symshuffle):")),
        () -> assertTrue(lines.getLast().contains("all managers ran 1 of 2 queries, 0 as often")),
        () ->
            assertTrue(
                html.contains("cut off, in or after application 2 of 4 (symshuffle)<"), html),
        () -> assertTrue(html.contains(">2.00 ±"), html),
        () -> assertFalse(html.contains("class=\"value bad\""), "what has not run has not failed"));
  }

  private static String row(List<String> lines, String query) {
    return lines.stream().filter(line -> line.startsWith(query + " ")).findFirst().orElseThrow();
  }

  @Test
  void problemsFollowTheirLine() throws IOException {
    for (Result result : SampleReports.bad().results()) {
      files.add(result);
    }
    assertFalse(files.finish());
    assertAll(
        printed.toString(),
        () -> assertTrue(printed.toString().contains("DIFFER\n  1 of 4 rows differ")),
        () -> assertTrue(printed.toString().contains("17,842\n  symshuffle: org.apache")));
  }

  private static Result result(String name, double sort, double symshuffle) {
    return new Result(
        "", name, 0, 0, SampleReports.outcome(name, sort, symshuffle), null, List.of());
  }
}
