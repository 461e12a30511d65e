// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.directory.MapOutputId;
import java.io.IOException;
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
   * Opens the file of a map output for reading.
   *
   * @throws IOException if it does not exist or cannot be read
   */
  DiskFile open(MapOutputId id) throws IOException {
    return DiskFile.open(find(id), encryption);
  }
}
