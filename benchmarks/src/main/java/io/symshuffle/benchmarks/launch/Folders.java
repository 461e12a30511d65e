// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.commons.io.file.PathUtils;

/** Checks and deletes folders, and protects the files of users in them. */
public final class Folders {
  private static final Path JOURNALS = Path.of("/proc/fs/jbd2");

  private Folders() {}

  /**
   * Checks that a folder, if it exists, has only files that a command may delete.
   *
   * @param ours whether the command writes files with this name
   * @param option the option that names the folder
   * @throws CliException if there is another file, or the folder cannot be read
   */
  public static void checkOwn(Path folder, Predicate<String> ours, String option) {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.list(folder)) {
      Optional<String> other =
          files.map(file -> file.getFileName().toString()).filter(ours.negate()).findFirst();
      if (other.isPresent()) {
        throw CliException.wrongUsage(
            "The folder %s contains other files, such as %s: choose an empty or new one with %s."
                .formatted(folder, other.get(), option));
      }
    } catch (IOException e) {
      throw new CliException(
          "Cannot read the folder %s: %s.".formatted(folder, Failures.reason(e)), e);
    }
  }

  /**
   * Deletes a folder and its contents, without following links. Does nothing if there is no such
   * folder.
   *
   * @throws IOException if something cannot be deleted; other parts may have been deleted
   */
  public static void delete(Path folder) throws IOException {
    if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      PathUtils.delete(folder);
    }
  }

  /** Locks a file; empty if another process, or another thread of this one, has the lock. */
  public static Optional<FileLock> tryLock(FileChannel file) throws IOException {
    try {
      return Optional.ofNullable(file.tryLock());
    } catch (OverlappingFileLockException e) {
      return Optional.empty();
    }
  }

  /**
   * Returns whether the files of a folder, which may not exist yet, are on an ext4 file system
   * without a journal. Such a system does not use the inode of a deleted file again for minutes,
   * and looks at each of them again when it creates a file: up to milliseconds of CPU time per file
   * after 100,000 deletions.
   */
  static boolean lackJournal(Path folder) {
    Path existing = folder.toAbsolutePath();
    while (!Files.exists(existing)) {
      existing = existing.getParent();
    }
    try {
      FileStore store = Files.getFileStore(existing);
      return store.type().equals("ext4") && lacksJournal(Path.of(store.name()), JOURNALS);
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Returns whether a device is none of those with a journal; not if it is unknown.
   *
   * @param journals folder with an entry for each journal, such as {@code sda1-8}
   */
  static boolean lacksJournal(Path device, Path journals) throws IOException {
    if (!Files.exists(device) || !Files.isDirectory(journals)) {
      return false;
    }
    String prefix = device.toRealPath().getFileName() + "-";
    try (Stream<Path> names = Files.list(journals)) {
      return names.noneMatch(journal -> journal.getFileName().toString().startsWith(prefix));
    }
  }
}
