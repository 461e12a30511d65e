// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.folder;

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
 * Removes folders that this user's dead applications left behind. Every process that uses a folder
 * holds a shared lock on it; a process that gets the exclusive lock knows that the folder is
 * unused, and keeps new users out until it is gone: they wait for the lock and then notice that the
 * folder has been replaced. A folder on local disk is also in use while any process uses its
 * application's heaps, since live PEs read what dead PEs left in it.
 */
public final class FolderSweep {
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
          LOG.warn("Cannot sweep the folder {}", folder, e);
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
   * Removes a folder if no process uses it and it contains only the link to its heaps. Failures are
   * logged.
   */
  public static boolean removeIfEmpty(Path folder) {
    try (NativeFile directory = NativeFile.openDirectory(folder).orElse(null)) {
      if (directory != null && directory.tryLock(LockMode.EXCLUSIVE) && isEmpty(folder)) {
        Files.deleteIfExists(folder.resolve(HeapLink.NAME));
        Files.delete(folder);
        return true;
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("{} is kept", folder, e);
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

  /** Removes a locked folder; on local disk, only if no process uses the application's heaps. */
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
