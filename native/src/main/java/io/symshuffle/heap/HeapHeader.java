// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The header of a heap file.
 *
 * @param pe the PE that created it, 0 or more
 * @param windowBytes length of its window, more than 0
 * @param pid process id of the PE, in the PE's own pid namespace
 * @param bootId hash of the kernel's boot id at that time; it changes when the machine restarts
 * @param token the application's token
 * @param diskBase absolute path of the folder that contains the PE's disk folder
 */
public record HeapHeader(
    int pe, long windowBytes, long pid, long bootId, FolderToken token, Path diskBase) {

  /** Checks ranges, and that the disk base fits in the header. */
  public HeapHeader {
    requireNonNull(token, "token is null");
    requireNonNull(diskBase, "diskBase is null");
    if (pe < 0) {
      throw new IllegalArgumentException("PE " + pe + " is less than 0");
    }
    if (windowBytes <= 0) {
      throw new IllegalArgumentException("a window cannot have " + windowBytes + " bytes");
    }
    int bytes = diskBase.toString().getBytes(StandardCharsets.UTF_8).length;
    if (!diskBase.isAbsolute() || bytes > HeapHeaderDescriptor.DISK_BASE_BYTES) {
      throw new IllegalArgumentException(
          "the disk base must be absolute and have at most %d bytes in UTF-8; this one has %d: %s"
              .formatted(HeapHeaderDescriptor.DISK_BASE_BYTES, bytes, diskBase));
    }
  }
}
