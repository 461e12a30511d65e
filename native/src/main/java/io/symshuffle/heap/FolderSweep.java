// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import io.symshuffle.ffi.FileStatus;
import io.symshuffle.ffi.NativeFile;
import io.symshuffle.ffi.NativeFile.LockMode;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds folders that dead applications of ours left behind. A folder in use is locked (shared) by
 * every process that uses it; who gets the exclusive lock knows that nobody does, and keeps
 * newcomers out until the folder is gone: they wait for the lock and then see that it is another
 * folder. A folder on local disk is in use, too, as long as somebody uses the heaps of its
 * application: what the dead have left in it is read by the living, who hold folders of their own.
 */
final class FolderSweep {
  private static final Logger LOG = LoggerFactory.getLogger(FolderSweep.class);

  private FolderSweep() {}

  static List<Path> sweep(Path base, Duration minimumAge) {
    List<Path> removed = new ArrayList<>();
    Instant newest = Instant.now().minus(minimumAge);
    try (DirectoryStream<Path> entries =
        Files.newDirectoryStream(base, HeapFolder::isOwnFolderName)) {
      for (Path folder : entries) {
        try {
          if (sweepOne(folder, newest)) {
            removed.add(folder);
          }
        } catch (RuntimeException e) {
          LOG.warn("The folder {} could not be looked at", folder, e);
        }
      }
    } catch (IOException e) {
      LOG.debug("{} cannot be listed", base, e);
    }
    return removed;
  }

  /** Removes a folder of any age if no process uses it. */
  static boolean removeIfUnused(Path folder) {
    return sweepOne(folder, Instant.MAX);
  }

  /**
   * Removes a folder if nobody uses it and nothing but the link to its heaps is in it; failures are
   * logged.
   *
   * @return whether it was removed
   */
  static boolean removeIfEmpty(Path folder) {
    try (NativeFile directory = NativeFile.openDirectory(folder).orElse(null)) {
      if (directory != null && directory.tryLock(LockMode.EXCLUSIVE) && isEmpty(folder)) {
        Files.deleteIfExists(folder.resolve(HeapLink.NAME));
        Files.delete(folder);
        return true;
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} stays", folder, e);
    }
    return false;
  }

  private static boolean isEmpty(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.allMatch(entry -> entry.endsWith(HeapLink.NAME));
    }
  }

  private static boolean sweepOne(Path folder, Instant newest) {
    Optional<FileStatus> status = FileStatus.ofLink(folder);
    if (status.isEmpty()
        || FolderCheck.privateFault(status.get()).isPresent()
        || status.get().modified().isAfter(newest)) {
      return false;
    }
    try (NativeFile directory = NativeFile.openDirectory(folder).orElse(null)) {
      return directory != null
          && directory.status().isSameFile(status.get())
          && directory.tryLock(LockMode.EXCLUSIVE)
          && FileStatus.ofLink(folder).filter(status.get()::isSameFile).isPresent()
          && removeUnlessHeapsAreUsed(folder);
    }
  }

  /**
   * Removes a folder that is locked; one on local disk only if the application's heaps are free.
   */
  private static boolean removeUnlessHeapsAreUsed(Path folder) {
    Optional<Path> heaps = HeapLink.of(folder);
    if (heaps.isEmpty()) {
      return FolderRemoval.removeWithDiskFolders(folder);
    }
    try (NativeFile directory = NativeFile.openDirectory(heaps.get()).orElse(null)) {
      return (directory == null || directory.tryLock(LockMode.EXCLUSIVE))
          && FolderRemoval.remove(folder);
    }
  }
}
