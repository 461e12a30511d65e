// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.samskivert.mustache.Mustache;
import io.symshuffle.benchmarks.comparison.Columns.Column;
import io.symshuffle.benchmarks.measure.Gain;
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
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The report of a comparison as a single HTML page that needs no other file and no network. */
final class ComparisonPage {
  /** A number at the top of the page. */
  private record Tile(String style, String number, String label) {}

  /**
   * A manager's value in a cell, with a bar unless {@code bar} is empty, and the scatter of its
   * runs on the bar unless {@code spread} is empty.
   *
   * @param bar width of the bar in percent of the cell, as are the start and width of the scatter
   */
  private record Value(
      String style, String text, int color, String bar, String start, String spread) {}

  /** The values of all managers for a result, under each other. */
  private record Cell(List<Value> values) {}

  private record Row(String job, List<Cell> cells) {}

  /** Results that shuffle alike, with what they say together. */
  private record Group(String title, boolean titled, int columns, List<Row> rows) {}

  private final Report report;

  /** The columns of the managers by their headings. */
  private final Map<String, List<Column>> columns = new LinkedHashMap<>();

  private ComparisonPage(Report report) {
    this.report = report;
    for (Column column : new Columns(report.plan(), report.managers(), report::results).all()) {
      if (!column.name()) {
        columns
            .computeIfAbsent(
                column.group().isEmpty() ? column.label() : column.group(),
                heading -> new ArrayList<>())
            .add(column);
      }
    }
  }

  static String html(Report report) {
    ComparisonPage page = new ComparisonPage(report);
    List<String> problems = page.problems();
    List<String> meaning = new ArrayList<>(report.groups());
    if (!report.busy().isEmpty()) {
      meaning.add(report.busy());
    }
    if (!report.plan().isOfCases()) {
      meaning.add(Groups.YOUR_JOB);
    }
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
    values.put("managers", page.legend());
    values.put("headings", page.columns.keySet().stream().map(ComparisonPage::capital).toList());
    values.put("groups", page.groups());
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
      tiles.add(
          new Tile(
              "bad",
              "incomplete",
              "the run is in progress, or was cut off, in or after " + report.application()));
    }
    for (int manager = 1; manager < report.managers().size(); manager++) {
      String name = report.managers().get(manager);
      report
          .gain(manager)
          .ifPresent(gain -> tiles.add(tile(gain, "geometric mean speed-up of " + name)));
      if (report.opening() != null) {
        String label =
            "cheaper shuffle of %s rows with %s"
                .formatted(Figures.count(report.opening().rows()), name);
        report.opening().exchangeGain(manager).ifPresent(gain -> tiles.add(tile(gain, label)));
      }
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

  private static Tile tile(Gain gain, String label) {
    if (gain.isUnclear()) {
      return new Tile("", gain.text(), label + ": the runs scatter too much");
    }
    String interval = Double.isNaN(gain.half()) ? ", from one run each" : ", " + gain.interval();
    return new Tile(gain.style(), Figures.ratio(gain.value()) + "×", label + interval);
  }

  private List<Value> legend() {
    return IntStream.range(0, report.managers().size())
        .mapToObj(manager -> new Value("", report.managers().get(manager), manager, "", "", ""))
        .toList();
  }

  private List<Group> groups() {
    List<Group> groups = new ArrayList<>();
    for (Groups.Size size : Groups.Size.values()) {
      List<Result> of = Groups.of(report.results(), size);
      String title =
          report.plan().rates().isEmpty() ? Groups.sentence(report, size).orElse("") : "";
      if (!of.isEmpty()) {
        groups.add(
            new Group(
                title,
                !title.isEmpty(),
                columns.size() + 1,
                of.stream().map(result -> new Row(result.name(), cells(result))).toList()));
      }
    }
    return groups;
  }

  private static String capital(String text) {
    return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
  }

  private List<Cell> cells(Result result) {
    return columns.values().stream().map(of -> new Cell(values(of, result))).toList();
  }

  private List<Value> values(List<Column> of, Result result) {
    double largest = largest(of);
    List<Value> values = new ArrayList<>();
    if (of.getFirst().manager() > 0) {
      // The values of each manager stand beside each other.
      values.add(new Value("", "", 0, "", "", ""));
    }
    for (Column column : of) {
      double size = column.size().applyAsDouble(result);
      boolean hasBar = !Double.isNaN(size) && largest > 0;
      List<Double> runs = runs(column, result);
      double least = runs.stream().min(Double::compare).orElse(0.0);
      double most = runs.stream().max(Double::compare).orElse(0.0);
      values.add(
          new Value(
              column.style().apply(result),
              column.text().apply(result),
              column.manager(),
              hasBar ? percent(Math.max(0, size), largest) : "",
              hasBar ? percent(least, largest) : "",
              hasBar && most > least ? percent(most - least, largest) : ""));
    }
    return values;
  }

  /** The scale of all bars of a heading, which holds the longest run. */
  private double largest(List<Column> of) {
    return of.stream()
        .flatMap(
            column ->
                report.results().stream()
                    .flatMap(
                        result ->
                            Stream.concat(
                                Stream.of(column.size().applyAsDouble(result)),
                                runs(column, result).stream())))
        .filter(size -> !size.isNaN())
        .max(Double::compare)
        .orElse(0.0);
  }

  /** The seconds of the runs that a column shows the median of; empty for other columns. */
  private static List<Double> runs(Column column, Result result) {
    return column.group().equals(Columns.SECONDS_OF_RUNS)
        ? result.outcome().entries().get(column.manager()).seconds()
        : List.of();
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
