// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A set of queries and the tables that they read.
 *
 * @param name name in folders and messages, such as {@code tpch}
 */
public record Suite(String name, String title, QueryTexts queries, TableSet tables) {
  private static final Pattern NO_WORD = Pattern.compile("\\W+");

  /** 22 queries, 8 tables. */
  public static final Suite TPCH =
      new Suite("tpch", "TPC-H", new QueryTexts("tpch", numbered(22, Set.of())), new TpchTables());

  /** 99 queries, four of them in two variants, and 24 tables. */
  public static final Suite TPCDS =
      new Suite(
          "tpcds",
          "TPC-DS",
          new QueryTexts("tpcds", numbered(99, Set.of(14, 23, 24, 39))),
          new TpcdsTables());

  /**
   * Returns the suite with a name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Suite named(String name) {
    return Stream.of(TPCH, TPCDS)
        .filter(suite -> suite.name.equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no suite '" + name + "'"));
  }

  /**
   * Returns the tables whose names occur in queries, slowest to generate first. A name may occur
   * without being a table of the query.
   *
   * @throws IllegalArgumentException if there is no such query
   */
  public List<String> tablesOf(List<String> names) {
    Set<String> words =
        names.stream()
            .flatMap(name -> NO_WORD.splitAsStream(queries.text(name)))
            .map(word -> word.toLowerCase(Locale.ROOT))
            .collect(Collectors.toSet());
    return tables.names().stream().filter(words::contains).toList();
  }

  private static List<String> numbered(int last, Set<Integer> inVariants) {
    return IntStream.rangeClosed(1, last)
        .boxed()
        .flatMap(
            number ->
                inVariants.contains(number)
                    ? Stream.of("q" + number + "a", "q" + number + "b")
                    : Stream.of("q" + number))
        .toList();
  }
}
