// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.folder.FolderCheck;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * A folder that could hold the heap.
 *
 * @param usableBytes free space of its file system; {@link Long#MAX_VALUE} when it has no limit
 * @param memoryBacked whether the file system is in memory (tmpfs)
 * @param fault why it cannot be used, a sentence without a period
 */
public record HeapPlace(Path base, long usableBytes, boolean memoryBacked, Optional<String> fault) {
  private static final Set<String> MEMORY_TYPES = Set.of("tmpfs", "ramfs", "hugetlbfs");

  /**
   * Inspects a folder.
   *
   * @param base the folder; need not exist
   * @param setting the setting that names it, for messages
   * @return its state at this moment
   */
  public static HeapPlace probe(Path base, String setting) {
    try {
      Path real = FolderCheck.checkBase(base, setting);
      FileStore store = Files.getFileStore(real);
      boolean memoryBacked = MEMORY_TYPES.contains(store.type());
      // A tmpfs without a limit reports 0 bytes in total.
      boolean unlimited = memoryBacked && store.getTotalSpace() == 0;
      return new HeapPlace(
          base,
          unlimited ? Long.MAX_VALUE : store.getUsableSpace(),
          memoryBacked,
          Optional.empty());
    } catch (HeapException e) {
      return unusable(base, e.getMessage());
    } catch (IOException e) {
      return unusable(base, "cannot read the free space of " + base + ": " + e);
    }
  }

  /** Returns the size of the file system of a folder; 0 if it is unknown or has no limit. */
  static long totalBytes(Path folder) {
    try {
      return Files.getFileStore(folder).getTotalSpace();
    } catch (IOException e) {
      return 0;
    }
  }

  /** Returns the type of the file system of a folder; empty if that is unknown. */
  static String fileSystem(Path folder) {
    try {
      return Files.getFileStore(folder).type();
    } catch (IOException e) {
      return "";
    }
  }

  private static HeapPlace unusable(Path base, String fault) {
    return new HeapPlace(base, 0, false, Optional.of(fault));
  }
}
