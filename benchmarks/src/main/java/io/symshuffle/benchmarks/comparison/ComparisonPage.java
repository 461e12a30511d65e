// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.samskivert.mustache.Mustache;
import io.symshuffle.benchmarks.comparison.Columns.Column;
import io.symshuffle.benchmarks.report.Figures;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/** The report of a comparison as a single HTML page that needs no other file and no network. */
final class ComparisonPage {
  /** A number at the top of the page. */
  private record Tile(String style, String number, String label) {}

  /** A cell of the table, with a bar of this width below its text unless that is empty. */
  private record Cell(String style, String text, String bar, int color) {}

  private record Row(String job, List<Cell> cells) {}

  /** Columns of the table with a common heading. */
  private record Group(String title, List<String> labels, int columns) {}

  private final Report report;
  private final List<Column> columns;

  private ComparisonPage(Report report) {
    this.report = report;
    this.columns =
        new Columns(report.plan(), report.managers())
            .all().stream().filter(column -> !column.name()).toList();
  }

  static String html(Report report) {
    ComparisonPage page = new ComparisonPage(report);
    List<String> problems = page.problems();
    List<String> meaning = Meaning.sentences(report);
    Map<String, Object> values = new HashMap<>();
    values.put("title", "SymShuffle: " + report.plan().title());
    values.put(
        "lead",
        String.join(" against ", report.managers().reversed())
            + ": the same work on the same data, in turn.");
    values.put("tiles", page.tiles());
    values.put("hasProblems", !problems.isEmpty());
    values.put("problems", problems);
    values.put("noun", report.plan().noun());
    values.put("groups", page.groups());
    values.put("rows", page.rows());
    values.put("hasMeaning", !meaning.isEmpty());
    values.put("meaning", meaning);
    values.put("facts", page.facts().entrySet());
    return filled(values);
  }

  /** Fills the template. Values are escaped; empty texts count as false. */
  private static String filled(Map<String, ?> values) {
    try (Reader template =
        new InputStreamReader(ComparisonPage.class.getResourceAsStream("comparison.html"), UTF_8)) {
      return Mustache.compiler().emptyStringIsFalse(true).compile(template).execute(values);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<Tile> tiles() {
    List<Tile> tiles = new ArrayList<>();
    if (!report.complete()) {
      tiles.add(new Tile("bad", "incomplete", "the run goes on, or was cut off"));
    }
    for (int manager = 1; manager < report.managers().size(); manager++) {
      double speedUp = report.speedUp(manager);
      tiles.add(
          new Tile(
              speedUp >= 1 ? "good" : "bad",
              Figures.ratio(OptionalDouble.of(speedUp)) + "×",
              "geometric mean speed-up of " + report.managers().get(manager)));
    }
    if (report.opening() != null) {
      int last = report.managers().size() - 1;
      report
          .opening()
          .gain(last)
          .ifPresent(
              gain ->
                  tiles.add(
                      new Tile(
                          gain >= 1 ? "good" : "bad",
                          Figures.ratio(OptionalDouble.of(gain)) + "×",
                          "cheaper shuffle of %s rows with %s"
                              .formatted(
                                  Figures.count(report.opening().rows()),
                                  report.managers().get(last)))));
    }
    tiles.add(new Tile("", Integer.toString(report.results().size()), "results"));
    tiles.add(
        new Tile(
            report.differing() == 0 ? "good" : "bad",
            Long.toString(report.differing()),
            "results differ"));
    if (report.failed() > 0) {
      tiles.add(new Tile("bad", Long.toString(report.failed()), "failed"));
    }
    return tiles;
  }

  private List<String> problems() {
    return report.results().stream()
        .flatMap(result -> result.problems().stream().map(text -> result.name() + ": " + text))
        .toList();
  }

  private List<Group> groups() {
    Map<String, List<String>> labels = new LinkedHashMap<>();
    for (Column column : columns) {
      boolean alone = column.group().isEmpty();
      labels
          .computeIfAbsent(alone ? column.label() : column.group(), title -> new ArrayList<>())
          .add(alone ? "" : column.label());
    }
    return labels.entrySet().stream()
        .map(group -> new Group(capital(group.getKey()), group.getValue(), group.getValue().size()))
        .toList();
  }

  private static String capital(String text) {
    return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
  }

  private List<Row> rows() {
    Map<String, Double> largest = new LinkedHashMap<>();
    for (Column column : columns) {
      for (Result result : report.results()) {
        double size = column.size().applyAsDouble(result);
        largest.merge(column.group(), Double.isNaN(size) ? 0 : size, Math::max);
      }
    }
    return report.results().stream()
        .map(
            result ->
                new Row(
                    result.name(),
                    columns.stream()
                        .map(column -> cell(column, result, largest.get(column.group())))
                        .toList()))
        .toList();
  }

  private static Cell cell(Column column, Result result, double largest) {
    double size = column.size().applyAsDouble(result);
    return new Cell(
        column.style().apply(result),
        column.text().apply(result),
        Double.isNaN(size) || largest <= 0 ? "" : percent(Math.max(0, size), largest),
        column.manager());
  }

  private static String percent(double part, double whole) {
    return String.format(Locale.ROOT, "%.1f%%", 100 * part / whole);
  }

  private Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>(report.facts());
    facts.values().removeIf(String::isEmpty);
    return facts;
  }
}
