// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.suite;

import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.report.Figures;
import io.symshuffle.benchmarks.report.HtmlTemplate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.BiFunction;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;

/** The report of a suite as a single HTML page that needs no other file and no network. */
final class SuitePage {
  /** A number at the top of the page. */
  private record Tile(String style, String number, String label) {}

  /** A cell of the table, with a bar of this width below its text unless that is empty. */
  private record Cell(String style, String text, String bar, int color) {
    static Cell bad(String text) {
      return new Cell("bad", text, "", 0);
    }
  }

  private record Row(String query, List<Cell> cells) {}

  /** Columns of the table, one per manager from number {@code first} on. */
  private record Group(
      String title, List<String> managers, int first, BiFunction<Outcome, Integer, Cell> cell) {
    int columns() {
      return managers.size();
    }
  }

  private final SuiteReport report;

  private SuitePage(SuiteReport report) {
    this.report = report;
  }

  static String html(SuiteReport report) {
    SuitePage page = new SuitePage(report);
    List<String> problems = page.problems();
    List<Group> groups = page.groups();
    return HtmlTemplate.fill(
        SuitePage.class,
        "suite.html",
        Map.of(
            "title",
            "SymShuffle: " + report.suite() + " at scale " + Figures.scale(report.scale()),
            "lead",
            String.join(" against ", report.managers().reversed())
                + ": the same queries on the same tables, in turn.",
            "tiles",
            page.tiles(),
            "hasProblems",
            !problems.isEmpty(),
            "problems",
            problems,
            "groups",
            groups,
            "rows",
            report.queries().stream().map(query -> row(query, groups)).toList(),
            "facts",
            page.facts().entrySet()));
  }

  private List<Tile> tiles() {
    List<Tile> tiles = new ArrayList<>();
    for (int manager = 1; manager < report.managers().size(); manager++) {
      double speedUp = report.speedUp(manager);
      tiles.add(
          new Tile(
              speedUp >= 1 ? "good" : "bad",
              Figures.ratio(OptionalDouble.of(speedUp)) + "×",
              "geometric mean speed-up of " + report.managers().get(manager)));
    }
    tiles.add(new Tile("", Integer.toString(report.queries().size()), "queries"));
    tiles.add(
        new Tile(
            report.differing() == 0 ? "good" : "bad",
            Long.toString(report.differing()),
            "results differ"));
    if (report.failed() > 0) {
      tiles.add(new Tile("bad", Long.toString(report.failed()), "queries failed"));
    }
    return tiles;
  }

  private List<String> problems() {
    List<String> problems = new ArrayList<>();
    for (Outcome query : report.queries()) {
      if (!query.same()) {
        problems.add(query.name() + ": " + query.difference());
      }
      for (Entry entry : query.entries()) {
        if (!entry.succeeded()) {
          problems.add(query.name() + ", " + entry.manager() + ": " + entry.failure());
        }
      }
    }
    return problems;
  }

  private List<Group> groups() {
    List<Group> groups = new ArrayList<>();
    groups.add(group("Seconds", Entry::median, Figures::seconds));
    if (report.managers().size() > 1) {
      groups.add(
          new Group(
              "Speed-up over " + report.managers().getFirst(),
              report.managers().subList(1, report.managers().size()),
              1,
              SuitePage::speedUp));
    }
    groups.add(
        group(
            "Bytes shuffled",
            entry -> entry.figures().bytesWritten(),
            bytes -> Figures.bytes((long) bytes)));
    groups.add(group("Write time, s", e -> e.figures().writeSeconds(), Figures::seconds));
    groups.add(group("Fetch wait, s", e -> e.figures().fetchWaitSeconds(), Figures::seconds));
    return groups;
  }

  private Group group(String title, ToDoubleFunction<Entry> value, DoubleFunction<String> text) {
    double largest =
        report.queries().stream()
            .flatMap(query -> query.entries().stream())
            .filter(Entry::succeeded)
            .mapToDouble(value)
            .max()
            .orElse(0);
    return new Group(
        title,
        report.managers(),
        0,
        (query, manager) -> {
          Entry entry = query.entries().get(manager);
          if (!entry.succeeded()) {
            return Cell.bad("failed");
          }
          double number = value.applyAsDouble(entry);
          return new Cell("", text.apply(number), percent(number, largest), manager);
        });
  }

  private static Cell speedUp(Outcome query, int manager) {
    OptionalDouble speedUp = query.speedUp(manager);
    double ratio = speedUp.orElse(1);
    boolean equal = Math.abs(ratio - 1) < SuiteReport.NOISE;
    return new Cell(equal ? "" : ratio > 1 ? "good" : "bad", Figures.ratio(speedUp), "", manager);
  }

  private static Row row(Outcome query, List<Group> groups) {
    List<Cell> cells = new ArrayList<>();
    for (Group group : groups) {
      for (int i = 0; i < group.columns(); i++) {
        cells.add(group.cell().apply(query, group.first() + i));
      }
    }
    cells.add(rows(query));
    return new Row(query.name(), cells);
  }

  private static Cell rows(Outcome query) {
    if (!query.same()) {
      return Cell.bad("differ");
    }
    return query.entries().stream()
        .filter(Entry::succeeded)
        .findFirst()
        .map(entry -> new Cell("", Figures.count(entry.rows()), "", 0))
        .orElseGet(() -> Cell.bad("-"));
  }

  private Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>(report.info().facts());
    facts.put("Runs", report.warmUps() + " warm-ups and " + report.runs() + " timed per query");
    facts.put("Note", report.note());
    facts.values().removeIf(String::isEmpty);
    return facts;
  }

  private static String percent(double value, double full) {
    return full > 0 ? String.format(Locale.ROOT, "%.1f%%", 100 * value / full) : "0";
  }
}
