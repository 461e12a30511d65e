// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.folder;

import java.nio.file.Path;
import java.util.List;

/**
 * The header of a heap file.
 *
 * @param pe the PE that created it, 0 or more
 * @param windowBytes length of its window, more than 0
 * @param pid process id of the PE, in the PE's own pid namespace
 * @param bootId hash of the kernel's boot id at that time; it changes when the machine restarts
 * @param diskBases absolute paths of the folders that contain the PE's disk folders, at least one
 */
public record HeapHeader(
    int pe, long windowBytes, long pid, long bootId, FolderToken token, List<Path> diskBases) {

  public HeapHeader {
    diskBases = List.copyOf(diskBases);
    if (pe < 0) {
      throw new IllegalArgumentException("PE " + pe + " is less than 0");
    }
    if (windowBytes <= 0) {
      throw new IllegalArgumentException("a window cannot have " + windowBytes + " bytes");
    }
    int bytes = HeapHeaderDescriptor.text(diskBases).length;
    if (diskBases.isEmpty()
        || !diskBases.stream().allMatch(Path::isAbsolute)
        || bytes > HeapHeaderDescriptor.DISK_BASES_BYTES) {
      throw new IllegalArgumentException(
          "the disk bases must be absolute and have at most %d bytes in UTF-8; these have %d: %s"
              .formatted(HeapHeaderDescriptor.DISK_BASES_BYTES, bytes, diskBases));
    }
  }
}
