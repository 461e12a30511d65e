// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.directory.MapOutputId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Where a PE keeps the files of its map outputs, and how to read them.
 *
 * @param folders its folders for the DISK tier
 * @param encryption of the application's files, if they are encrypted
 */
public record RunFiles(List<Path> folders, Optional<DiskEncryption> encryption) {
  /** The file of a map output; it may not exist. */
  Path find(MapOutputId id) {
    return DiskFolders.find(folders, id);
  }

  /**
   * Whether this process sees the owner's folders. It may be in another pod than their owner, with
   * other volumes at the same paths. But the path of a folder contains the random token of the
   * application and the number of its PE, and only this PE creates it: one that exists is the
   * owner's. One is enough, since a disk of several may be gone.
   */
  boolean areVisible() {
    return folders.stream().anyMatch(Files::isExecutable);
  }

  /**
   * Opens the file of a map output for reading.
   *
   * @throws DiskNotVisibleException if only its owner sees the folders
   * @throws IOException if it does not exist or cannot be read
   */
  DiskFile open(MapOutputId id) throws IOException {
    if (!areVisible()) {
      throw new DiskNotVisibleException(
          "its owner's folders %s are not visible to this process; let the pods or containers that share a heap folder share their disks, too"
              .formatted(folders));
    }
    return DiskFile.open(find(id), encryption);
  }
}
