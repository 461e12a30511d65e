// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** Predictions for queries as a table in text. */
final class QueryTable {
  private static final int MAX_QUERIES = 22;
  private static final int MAX_NAME_LENGTH = 40;

  private QueryTable() {}

  /** {@return the queries that took longest in total, in their order in the log} */
  static List<String> lines(List<QueryPrediction> all) {
    List<QueryPrediction> longest =
        all.stream()
            .sorted(Comparator.comparingDouble(QueryPrediction::allSeconds).reversed())
            .limit(MAX_QUERIES)
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
    return aligned(rows);
  }

  private static String name(QueryPrediction query) {
    String name = query.name();
    return name.length() <= MAX_NAME_LENGTH ? name : name.substring(0, MAX_NAME_LENGTH - 1) + "…";
  }

  /** Aligns the first column to the left, the others to the right. */
  private static List<String> aligned(List<String[]> rows) {
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
