// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ComparisonPageTest {
  @Test
  void showsFiguresAndBarsOfEachQuery() throws IOException {
    String html = ComparisonPage.html(SampleReports.good());
    keep("good.html", html);
    for (int number = 1; number <= 22; number++) {
      String query = "q" + number;
      List<String> rows =
          html.lines().filter(line -> line.startsWith("<tr><td>" + query + "</td>")).toList();
      assertEquals(1, rows.size(), "rows of " + query);
      assertEquals(7, count(rows.getFirst(), "<div class=\"value"), "values of " + query);
      assertEquals(4, count(rows.getFirst(), "<i class=\"s"), "bars of " + query);
      assertEquals(2, count(rows.getFirst(), "<b style"), "whiskers of " + query);
    }
  }

  @Test
  void barsOfAllManagersHaveOneScale() {
    Report report =
        SampleReports.of(
            List.of(SampleReports.outcome("q1", 4, 2), SampleReports.outcome("q2", 2, 3)));
    List<String> widths =
        Pattern.compile("class=\"s[01]\" style=\"width:([0-9.]+)%\"></i><b")
            .matcher(ComparisonPage.html(report))
            .results()
            .map(match -> match.group(1))
            .toList();
    // The longest run takes 4.4 s.
    assertEquals(List.of("90.9", "45.5", "45.5", "68.2"), widths);
  }

  @Test
  void needsNoOtherFile() {
    String html = ComparisonPage.html(SampleReports.good());
    assertAll(
        () -> assertTrue(html.startsWith("<!DOCTYPE html>"), html.substring(0, 40)),
        () -> assertTrue(html.contains("prefers-color-scheme: dark"), "no dark colors"),
        () ->
            assertFalse(
                Pattern.compile("(?i)https?:|src=|<link|<script|@import|url\\(")
                    .matcher(html)
                    .find(),
                "it refers to another file"));
  }

  @Test
  void showsProblemsEscaped() throws IOException {
    String html = ComparisonPage.html(SampleReports.bad());
    keep("bad.html", html);
    assertAll(
        () -> assertTrue(html.contains("Problems"), "no section with problems"),
        () -> assertTrue(html.contains("sort: A|&lt;F&gt;"), "no differing row"),
        () -> assertTrue(html.contains("Job aborted &amp; gone"), "no failure"),
        () -> assertFalse(html.contains("<F>"), "a value is not escaped"));
  }

  private static int count(String text, String part) {
    return text.split(Pattern.quote(part), -1).length - 1;
  }

  /** Keeps the page for manual inspection. */
  private static void keep(String name, String html) throws IOException {
    Path folder = Path.of("target", "pages");
    Files.createDirectories(folder);
    Files.writeString(folder.resolve(name), html);
  }
}
