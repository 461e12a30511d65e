// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SuitePageTest {
  @Test
  void everyQueryHasItsBarsAndItsRow() throws IOException {
    String html = SuitePage.html(SampleReports.good());
    keep("good.html", html);
    assertAll(
        IntStream.rangeClosed(1, 22)
            .mapToObj(
                number ->
                    () -> {
                      String query = "q" + number;
                      assertEquals(
                          3,
                          count(html, "<span class=\"label\">" + query + "</span>"),
                          "charts with " + query);
                      assertEquals(1, count(html, "<td>" + query + "</td>"), "rows of " + query);
                    }));
  }

  @Test
  void thePageNeedsNoOtherFile() {
    String html = SuitePage.html(SampleReports.good());
    assertAll(
        () -> assertTrue(html.startsWith("<!doctype html>"), html.substring(0, 40)),
        () -> assertTrue(html.contains("prefers-color-scheme: dark"), "no dark colours"),
        () ->
            assertFalse(
                Pattern.compile("(?i)https?:|src=|<link|<script|@import|url\\(")
                    .matcher(html)
                    .find(),
                "it names another file"));
  }

  @Test
  void whatWentWrongIsShownWithItsRowsAndEscaped() throws IOException {
    String html = SuitePage.html(SampleReports.bad());
    keep("bad.html", html);
    assertAll(
        () -> assertTrue(html.contains("What went wrong"), "no section on it"),
        () -> assertTrue(html.contains("sort: A|&lt;F&gt;"), "no differing row"),
        () -> assertTrue(html.contains("Job aborted &amp; gone"), "no failure"),
        () -> assertFalse(html.contains("<F>"), "a value is not escaped"));
  }

  private static int count(String text, String part) {
    return text.split(Pattern.quote(part), -1).length - 1;
  }

  /** For people who want to look at it. */
  private static void keep(String name, String html) throws IOException {
    Path folder = Path.of("target", "pages");
    Files.createDirectories(folder);
    Files.writeString(folder.resolve(name), html);
  }
}
