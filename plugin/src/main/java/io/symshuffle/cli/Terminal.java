// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

/**
 * Where a command prints. {@code bin/symshuffle} detects it; without that script, as under {@code
 * java -jar}, the output is treated as a file.
 *
 * @param hasColors whether to print colors: on a terminal that has them, unless {@code NO_COLOR} is
 *     set
 * @param columns characters in a line
 */
public record Terminal(boolean isTerminal, boolean hasColors, int columns) {
  private static final int FEWEST = 40;
  private static final int USUAL = 96;

  /** A file or a pipe. */
  public static final Terminal NONE = new Terminal(false, false, USUAL);

  /** A color with a meaning. */
  public enum Color {
    /** Fine, or faster. */
    GOOD(32),
    /** Works, with a problem. */
    WARNING(33),
    /** Fails, or slower. */
    BAD(31);

    private final int code;

    Color(int code) {
      this.code = code;
    }
  }

  /** Returns the output of this process. */
  public static Terminal here() {
    boolean terminal = Boolean.getBoolean("symshuffle.terminal");
    int columns = Integer.getInteger("symshuffle.columns", USUAL);
    return new Terminal(
        terminal,
        terminal && Boolean.getBoolean("symshuffle.colors"),
        Math.clamp(columns, FEWEST, USUAL));
  }

  /**
   * Returns the text in a color, or as it is without colors.
   *
   * @param text without line breaks
   */
  public String paint(Color color, String text) {
    return hasColors ? "\u001b[" + color.code + "m" + text + "\u001b[0m" : text;
  }

  /**
   * Returns a sentence in lines that are shorter than a number of characters.
   *
   * @param head begins the first line
   * @param indent begins each other line
   */
  public static String wrapped(String head, String indent, String sentence, int columns) {
    StringBuilder text = new StringBuilder();
    StringBuilder line = new StringBuilder(head);
    int start = line.length();
    for (String word : sentence.trim().split("\\s+", -1)) {
      if (line.length() > start && line.length() + word.length() >= columns) {
        text.append(line.toString().stripTrailing()).append('\n');
        line = new StringBuilder(indent);
        start = line.length();
      }
      line.append(word).append(' ');
    }
    return text.append(line.toString().stripTrailing()).append('\n').toString();
  }
}
