// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** One line from a child process to the doctor: a mark, a kind and fields, separated by tabs. */
final class FactLine {
  private static final String MARK = "symshuffle-fact";

  private FactLine() {}

  static String of(String kind, Object... fields) {
    List<String> parts = new ArrayList<>(List.of(MARK, kind));
    for (Object field : fields) {
      parts.add(String.valueOf(field).replaceAll("\\s+", " "));
    }
    return String.join("\t", parts);
  }

  /** Returns the kind and its fields; empty if the line is something else. */
  static Optional<String[]> parse(String line) {
    String[] parts = line.split("\t", -1);
    return parts.length > 1 && parts[0].equals(MARK)
        ? Optional.of(Arrays.copyOfRange(parts, 1, parts.length))
        : Optional.empty();
  }

  static String list(List<Integer> numbers) {
    return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  static List<Integer> numbers(String list) {
    return Arrays.stream(list.split(",", -1))
        .filter(n -> !n.isEmpty())
        .map(Integer::valueOf)
        .toList();
  }
}
