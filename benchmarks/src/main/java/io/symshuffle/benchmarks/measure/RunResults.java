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
 * The rows that the runs of one piece of work have returned so far, in files. Each result is
 * compared with the first one.
 */
final class RunResults {
  private final Path folder;
  private final String name;
  private final Optional<Function<Path, String>> compareUnlimited;
  private String firstManager = "";
  private Path first;
  private Path whole;
  private String difference = "";
  private boolean tied;

  /**
   * @param folder for files with rows
   * @param compareUnlimited for work that ends with a limit: runs it without the limit on all
   *     managers, writes the rows to the file, and describes how they differ
   */
  RunResults(Path folder, String name, Optional<Function<Path, String>> compareUnlimited) {
    this.compareUnlimited = compareUnlimited;
    this.folder = folder;
    this.name = name.replaceAll("[^A-Za-z0-9._-]+", "-");
  }

  /** Returns a file for rows; the first rows and rows that differ from them are not overwritten. */
  Path fileOf(String manager) {
    boolean kept = manager.equals(firstManager) || !difference.isEmpty();
    return folder.resolve(name + "." + manager + (kept ? ".again" : "") + ".txt");
  }

  /** Describes how results differ; empty if they are the same. */
  String difference() {
    return difference;
  }

  /** Returns whether results differed only in rows that tie at the limit. */
  boolean tied() {
    return tied;
  }

  void compare(String manager, Path file, ResultColumns columns) {
    try {
      if (first == null) {
        firstManager = manager;
        first = file;
      } else if (difference.isEmpty()) {
        String expectedName = manager.equals(firstManager) ? manager + " before" : firstManager;
        difference = RowsComparison.difference(expectedName, first, manager, file, columns);
        if (!difference.isEmpty()
            && compareUnlimited.isPresent()
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
      String found = compareUnlimited.orElseThrow().apply(whole);
      if (!found.isEmpty()) {
        return found;
      }
      if (!RowsComparison.isPart(first, whole, columns)) {
        return firstManager + " returned rows that no manager returns without the limit";
      }
    }
    return RowsComparison.isPart(file, whole, columns)
        ? ""
        : manager + " returned rows that no manager returns without the limit";
  }
}
