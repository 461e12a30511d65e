// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The last lines of a log that mention an error, for messages. */
final class LogHint {
  private static final int TAIL_BYTES = 256 * 1024;
  private static final long FULL = 64 * 1024;
  private static final int LINES = 3;
  private static final int MAX_DEPTH = 5;
  private static final int LINE_CHARACTERS = 300;
  private static final Pattern TELLING =
      Pattern.compile(
          "\\b(ERROR|Exception in thread|Caused by:|OutOfMemoryError|Error:|Error occurred|"
              + "Multiple garbage collectors)");

  private LogHint() {}

  /**
   * Returns the lines of the executor that wrote an error last, after the name of its log, or an
   * empty text. A JVM that cannot start writes the reason to the standard output.
   *
   * @param application folder of an application; those of executors on this machine are in its
   *     parent
   */
  static String ofExecutors(Path application) {
    try (Stream<Path> files = Files.walk(application.toAbsolutePath().getParent(), MAX_DEPTH)) {
      return files
          .filter(file -> file.endsWith("stderr") || file.endsWith("stdout"))
          .filter(file -> !lines(file).isEmpty())
          .max(Comparator.comparingLong(file -> file.toFile().lastModified()))
          .map(file -> "\nAn executor's log: " + file + lines(file))
          .orElse("");
    } catch (IOException | UncheckedIOException e) {
      // Others use these folders, too, so what was listed may be gone.
      return "";
    }
  }

  /**
   * Returns the lines, each indented and preceded by a line feed, or an empty text. If there are
   * none because the disk is full, says so instead.
   */
  static String of(Path log) {
    String hint = lines(log);
    boolean full = Files.exists(log) && log.toFile().getUsableSpace() < FULL;
    return hint.isEmpty() && full ? "\n  The disk of this log is full." : hint;
  }

  private static String lines(Path log) {
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
      byte[] tail = new byte[(int) Math.min(TAIL_BYTES, file.length())];
      file.seek(file.length() - tail.length);
      file.readFully(tail);
      List<String> telling =
          new String(tail, UTF_8).lines().filter(line -> TELLING.matcher(line).find()).toList();
      StringBuilder text = new StringBuilder();
      for (String line : telling.subList(Math.max(0, telling.size() - LINES), telling.size())) {
        text.append("\n  ")
            .append(line, 0, Math.min(line.length(), LINE_CHARACTERS))
            .append(line.length() > LINE_CHARACTERS ? "..." : "");
      }
      return text.toString();
    } catch (IOException e) {
      return "";
    }
  }
}
