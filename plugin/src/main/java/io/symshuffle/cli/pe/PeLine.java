// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cli.pe;

import java.util.List;

/**
 * A report of a PE's process: a kind and values, in one line of its standard output.
 *
 * @param values the values, without tabs and line breaks
 */
public record PeLine(int pe, String kind, List<String> values) {
  private static final String MARK = "##symshuffle";

  /** Prints a report in a PE's process. */
  public static void print(String kind, Object... values) {
    StringBuilder line = new StringBuilder(MARK).append('\t').append(kind);
    for (Object value : values) {
      line.append('\t').append(String.valueOf(value).replaceAll("[\\t\\r\\n]+", " "));
    }
    System.out.println(line);
    System.out.flush();
  }

  /** Returns whether a line of output is a report. */
  static boolean is(String line) {
    return line.startsWith(MARK + "\t");
  }

  static PeLine parse(int pe, String line) {
    List<String> words = List.of(line.split("\t", -1));
    return new PeLine(pe, words.get(1), words.subList(2, words.size()));
  }
}
