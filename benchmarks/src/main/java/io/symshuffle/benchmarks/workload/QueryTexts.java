// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The texts of a suite's queries from Spark's tests: {@code tpch/q1.sql} and so on, which the build
 * unpacks from the tests jar of Spark.
 *
 * @param folder folder on the class path, such as {@code tpch}
 * @param names names of the queries, in the order in which they run
 */
public record QueryTexts(String folder, List<String> names) {
  private static final Pattern LIMIT = Pattern.compile("(?i)\\s+limit\\s+\\d+$");

  /**
   * Returns the text of a query without comments and the final semicolon.
   *
   * @throws IllegalArgumentException if there is no such query
   */
  public String text(String name) {
    if (!names.contains(name)) {
      throw new IllegalArgumentException(
          "'" + name + "' is not one of " + String.join(", ", names));
    }
    String resource = "/" + folder + "/" + name + ".sql";
    try (InputStream in = QueryTexts.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("the text " + resource + " is not on the class path");
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

  /**
   * Returns the text of a query without the LIMIT at its end; empty if it has none.
   *
   * @throws IllegalArgumentException if there is no such query
   */
  public Optional<String> unlimited(String name) {
    String text = text(name);
    Matcher limit = LIMIT.matcher(text);
    return limit.find() ? Optional.of(text.substring(0, limit.start())) : Optional.empty();
  }
}
