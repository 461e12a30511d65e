// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import io.symshuffle.benchmarks.protocol.ResultColumns;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * The rows that came out of one piece of work so far, in files. Each result is compared with the
 * very first.
 */
final class RunResults {
  private final Path folder;
  private final String name;
  private final Optional<Function<Path, String>> compareWhole;
  private String firstManager = "";
  private Path first;
  private Path whole;
  private String difference = "";
  private boolean tied;

  /**
   * Nothing came out yet.
   *
   * @param folder where the files go
   * @param name of the work
   * @param compareWhole where the work ends with a limit: runs it without the limit on all
   *     managers, leaves the rows in the file, and says how they differ
   */
  RunResults(Path folder, String name, Optional<Function<Path, String>> compareWhole) {
    this.compareWhole = compareWhole;
    this.folder = folder;
    this.name = name.replaceAll("[^A-Za-z0-9._-]+", "-");
  }

  /** The first manager's first rows keep their file, and so do rows that differ from them. */
  Path fileOf(String manager) {
    boolean kept = manager.equals(firstManager) || !difference.isEmpty();
    return folder.resolve(name + "." + manager + (kept ? ".again" : "") + ".txt");
  }

  /** How results differ; empty if they are the same. */
  String difference() {
    return difference;
  }

  /** Whether results differed rightly, in rows that tie where the limit cuts. */
  boolean tied() {
    return tied;
  }

  /** Takes one manager's result into account. */
  void compare(String manager, Path file, ResultColumns columns) {
    try {
      if (first == null) {
        firstManager = manager;
        first = file;
      } else if (difference.isEmpty()) {
        String expectedName = manager.equals(firstManager) ? manager + " before" : firstManager;
        difference = RowsComparison.difference(expectedName, first, manager, file, columns);
        if (!difference.isEmpty()
            && compareWhole.isPresent()
            && RowsComparison.differInTiesAtTheEnd(first, file, columns)) {
          difference = differenceOfTied(manager, file, columns);
        }
      }
      if (difference.isEmpty() && manager.equals(firstManager) && !file.equals(first)) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String differenceOfTied(String manager, Path file, ResultColumns columns)
      throws IOException {
    if (whole == null) {
      tied = true;
      whole = folder.resolve(name + ".unlimited.txt");
      String found = compareWhole.orElseThrow().apply(whole);
      if (!found.isEmpty()) {
        return found;
      }
      if (!RowsComparison.isPart(first, whole, columns)) {
        return firstManager + " gave rows that it does not give without the limit";
      }
    }
    return RowsComparison.isPart(file, whole, columns)
        ? ""
        : manager + " gave rows that nobody gives without the limit";
  }
}
