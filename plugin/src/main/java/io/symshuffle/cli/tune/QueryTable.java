// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import io.symshuffle.cli.TextTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Predictions for queries as a table in text. */
final class QueryTable {
  private static final int MAX_QUERIES = 22;
  private static final int MAX_NAME_LENGTH = 40;

  private QueryTable() {}

  /** Returns the queries that took longest in total, in their order in the log. */
  static List<String> lines(List<QueryPrediction> all) {
    List<QueryPrediction> longest =
        all.stream()
            .sorted(Comparator.comparingDouble(QueryPrediction::allSeconds).reversed())
            .limit(MAX_QUERIES)
            .toList();
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("query", "runs", "seconds", "shuffle", "saves >=", "saves <="));
    for (QueryPrediction query : all) {
      if (longest.contains(query)) {
        rows.add(
            List.of(
                name(query),
                Integer.toString(query.runs()),
                Amounts.hundredths(query.seconds()),
                Amounts.percent(query.shuffleShare()),
                Amounts.hundredths(query.expectedSaved()),
                Amounts.hundredths(query.atMostSaved())));
      }
    }
    return TextTable.lines(rows, 1);
  }

  private static String name(QueryPrediction query) {
    String name = query.name();
    return name.length() <= MAX_NAME_LENGTH ? name : name.substring(0, MAX_NAME_LENGTH - 1) + "…";
  }
}
