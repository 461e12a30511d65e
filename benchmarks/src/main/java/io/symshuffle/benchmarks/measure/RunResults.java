// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import io.symshuffle.benchmarks.protocol.ResultColumns;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * The rows that the runs of one piece of work have returned so far, in files. Each result is
 * compared with the first one.
 */
public final class RunResults {
  private final Path folder;
  private final String name;
  private final Optional<Function<Path, String>> runUnlimited;
  private String firstManager = "";
  private Path first;
  private Path whole;
  private String difference = "";
  private boolean tied;

  /**
   * Creates the folder for rows, and deletes the rows of an earlier run from it. Other files stay,
   * since users choose the folder.
   *
   * @throws IOException if it cannot be created, or a file cannot be deleted
   */
  public static Path folder(Path out) throws IOException {
    Path folder = Files.createDirectories(out.resolve("rows"));
    try (DirectoryStream<Path> earlier = Files.newDirectoryStream(folder, "*.txt")) {
      for (Path file : earlier) {
        if (Files.isRegularFile(file)) {
          Files.delete(file);
        }
      }
    }
    return folder;
  }

  /**
   * @param folder for files with rows
   * @param runUnlimited for work that ends with a limit: runs it without the limit on the manager
   *     that runs now, writes the rows to the file, and says why it failed; empty if it did not
   */
  public RunResults(Path folder, String name, Optional<Function<Path, String>> runUnlimited) {
    this.runUnlimited = runUnlimited;
    this.folder = folder;
    this.name = name.replaceAll("[^A-Za-z0-9._-]+", "-");
  }

  /** Returns a file for rows; the first rows and rows that differ from them are not overwritten. */
  public Path fileOf(String manager) {
    boolean kept = manager.equals(firstManager) || !difference.isEmpty();
    return folder.resolve(name + "." + manager + (kept ? ".again" : "") + ".txt");
  }

  /** Describes how results differ; empty if they are the same. */
  public String difference() {
    return difference;
  }

  /** Returns whether results differed only in rows that tie at the limit. */
  public boolean tied() {
    return tied;
  }

  /** Compares the rows in a file of {@link #fileOf} with those of the first run. */
  public void compare(String manager, Path file, ResultColumns columns) {
    try {
      if (first == null) {
        firstManager = manager;
        first = file;
      } else if (difference.isEmpty()) {
        String expectedName = manager.equals(firstManager) ? manager + " before" : firstManager;
        difference = RowsComparison.difference(expectedName, first, manager, file, columns);
        if (!difference.isEmpty()
            && runUnlimited.isPresent()
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
      String found = runUnlimited.orElseThrow().apply(whole);
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
