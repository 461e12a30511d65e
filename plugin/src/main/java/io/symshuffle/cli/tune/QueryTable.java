// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Predictions for queries as lines of text, one a query below a line of heads. */
final class QueryTable {
  /** More than these are left out: the longest are what matters. */
  static final int MOST_QUERIES = 22;

  private static final int WIDEST_NAME = 40;

  private QueryTable() {}

  /** {@return the queries that took longest, all runs together, in their order in the log} */
  static List<String> predictions(List<QueryPrediction> all) {
    List<QueryPrediction> longest =
        all.stream()
            .sorted(Comparator.comparingDouble(QueryPrediction::allSeconds).reversed())
            .limit(MOST_QUERIES)
            .toList();
    List<String[]> rows = new ArrayList<>();
    rows.add(new String[] {"query", "runs", "seconds", "shuffle", "saves >=", "saves <="});
    for (QueryPrediction query : all) {
      if (longest.contains(query)) {
        rows.add(
            new String[] {
              name(query),
              Integer.toString(query.runs()),
              Amounts.hundredths(query.seconds()),
              Amounts.percent(query.shuffleShare()),
              Amounts.hundredths(query.expectedSaved()),
              Amounts.hundredths(query.atMostSaved())
            });
      }
    }
    return lines(rows);
  }

  /** {@return all queries, with what was measured on the clock, or in time of cores} */
  static List<String> compared(List<ComparedQuery> queries, Function<ComparedQuery, Bounds> which) {
    List<String[]> rows = new ArrayList<>();
    rows.add(
        new String[] {
          "query",
          "shuffle",
          "sort",
          "symshuffle",
          "saves >=",
          "saves <=",
          "saved",
          "+/-",
          "that is"
        });
    for (ComparedQuery query : queries) {
      Bounds bounds = which.apply(query);
      rows.add(
          new String[] {
            name(query.prediction()),
            Amounts.percent(query.prediction().shuffleShare()),
            Amounts.hundredths(bounds.sort()),
            Amounts.hundredths(bounds.ours()),
            Amounts.hundredths(bounds.least()),
            Amounts.hundredths(bounds.most()),
            Amounts.hundredths(bounds.saved()),
            Amounts.hundredths(bounds.noise()),
            bounds.verdict().toString()
          });
    }
    return lines(rows);
  }

  private static String name(QueryPrediction query) {
    String name = query.name();
    return name.length() <= WIDEST_NAME ? name : name.substring(0, WIDEST_NAME - 1) + "…";
  }

  /** The first column to the left, the others to the right. */
  private static List<String> lines(List<String[]> rows) {
    int[] widths =
        IntStream.range(0, rows.getFirst().length)
            .map(column -> rows.stream().mapToInt(row -> row[column].length()).max().orElse(0))
            .toArray();
    List<String> lines = new ArrayList<>();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.length; i++) {
        String format = i == 0 ? "%-" + widths[i] + "s" : "  %" + widths[i] + "s";
        line.append(String.format(Locale.ROOT, format, row[i]));
      }
      lines.add(line.toString());
    }
    return lines;
  }
}
