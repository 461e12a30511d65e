// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.report;

import io.symshuffle.cli.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** An output file that the user of a command named. */
public final class ReportFile {
  private ReportFile() {}

  /**
   * Checks before a run that the file can be written.
   *
   * @param file the file; null if there is none
   * @throws CliException if its folder does not exist, or the file is a folder
   */
  public static void check(Path file) {
    if (file == null) {
      return;
    }
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw CliException.wrongUsage("The folder of " + file + " does not exist.");
    }
    if (Files.isDirectory(file)) {
      throw CliException.wrongUsage(file + " is a folder; name a file.");
    }
  }

  /**
   * Writes or replaces the file atomically: readers see all of the old or all of the new text, even
   * if this process is killed. Special files such as {@code /dev/stdout} are written directly.
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
