// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.report;

import io.symshuffle.cli.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A file that a command writes, named by its user. */
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

  /**
   * Writes the file, or replaces it: whoever reads it finds all of the old text or all of the new,
   * even if this process is killed. What is no plain file, such as {@code /dev/stdout}, is written
   * as it is.
   *
   * @throws IOException if it cannot be written
   */
  public static void write(Path file, String text) throws IOException {
    if (Files.exists(file) && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      Files.writeString(file, text);
      return;
    }
    Path written = file.resolveSibling(file.getFileName() + ".new");
    Files.writeString(written, text);
    Files.move(written, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }
}
