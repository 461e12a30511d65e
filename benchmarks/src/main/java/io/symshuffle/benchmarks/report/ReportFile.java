// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.report;

import io.symshuffle.plugin.cli.CliException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that a command writes at its end, named by its user. */
public final class ReportFile {
  private ReportFile() {}

  /**
   * Refuses a file that could not be written, before there is something to lose.
   *
   * @param file the file; null if none is wanted
   * @throws CliException if its folder is not there, or a folder is in its place
   */
  public static void check(Path file) {
    if (file == null) {
      return;
    }
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw CliException.wrongUsage("There is no folder for " + file + ".");
    }
    if (Files.isDirectory(file)) {
      throw CliException.wrongUsage(file + " is a folder: name a file.");
    }
  }
}
