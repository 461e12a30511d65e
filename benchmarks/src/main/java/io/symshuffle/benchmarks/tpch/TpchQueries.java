// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.tpch;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The 22 queries, in the words of Spark's own tests ({@code tpch/q1.sql} of its tests jar). */
public final class TpchQueries {
  private TpchQueries() {}

  /** The names, {@code q1} to {@code q22}. */
  public static List<String> names() {
    return IntStream.rangeClosed(1, 22).mapToObj(number -> "q" + number).toList();
  }

  /**
   * The text of a query, without comments and final semicolon.
   *
   * @throws IllegalArgumentException if there is no such query
   */
  public static String text(String name) {
    if (!names().contains(name)) {
      throw new IllegalArgumentException("'" + name + "' is none of q1 to q22");
    }
    String resource = "/tpch/" + name + ".sql";
    try (InputStream in = TpchQueries.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("The text " + resource + " is not on the class path");
      }
      String sql =
          new String(in.readAllBytes(), UTF_8)
              .lines()
              .filter(line -> !line.strip().startsWith("--"))
              .collect(Collectors.joining("\n"))
              .strip();
      return sql.endsWith(";") ? sql.substring(0, sql.length() - 1) : sql;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
