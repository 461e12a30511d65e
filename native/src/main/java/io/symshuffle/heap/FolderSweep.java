// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import io.symshuffle.ffi.FileStatus;
import io.symshuffle.ffi.NativeFile;
import io.symshuffle.ffi.NativeFile.LockMode;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds folders that dead applications of ours left behind. A folder in use is locked (shared) by
 * every process that uses it; who gets the exclusive lock knows that nobody does, and keeps
 * newcomers out until the folder is gone: they wait for the lock and then see that it is another
 * folder.
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

  /** Removes a folder if nobody uses it, whatever its age. */
  static boolean removeIfUnused(Path folder) {
    return sweepOne(folder, Instant.MAX);
  }

  /**
   * Removes a folder if nobody uses it and nothing is in it; failures are logged.
   *
   * @return whether it was removed
   */
  static boolean removeIfEmpty(Path folder) {
    try (NativeFile directory = NativeFile.openDirectory(folder).orElse(null)) {
      if (directory != null && directory.tryLock(LockMode.EXCLUSIVE)) {
        Files.delete(folder);
        return true;
      }
    } catch (DirectoryNotEmptyException e) {
      LOG.debug("{} is not empty and stays", folder);
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} stays", folder, e);
    }
    return false;
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
          && FolderRemoval.removeWithDiskFolders(folder);
    }
  }
}
