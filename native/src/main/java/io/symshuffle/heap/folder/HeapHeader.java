// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.folder;

import io.symshuffle.heap.ChunkGrid;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The header of a PE's heap: of its first file, if it has several.
 *
 * @param pe the PE that created it, 0 or more
 * @param windowBytes length of its window, more than 0
 * @param pid process id of the PE, in the PE's own pid namespace
 * @param bootId hash of the kernel's boot id at that time; it changes when the machine restarts
 * @param stripeBytes length of each file but the last one, which has the rest
 * @param diskBases absolute paths of the folders that contain the PE's disk folders, at least one
 */
public record HeapHeader(
    int pe,
    long windowBytes,
    long pid,
    long bootId,
    FolderToken token,
    long stripeBytes,
    List<Path> diskBases) {
  /** Most files of a heap. */
  public static final int MAX_FILES = 64;

  /** The header of a heap in one file. */
  public HeapHeader(
      int pe, long windowBytes, long pid, long bootId, FolderToken token, List<Path> diskBases) {
    this(pe, windowBytes, pid, bootId, token, allBytes(windowBytes), diskBases);
  }

  public HeapHeader {
    diskBases = List.copyOf(diskBases);
    if (pe < 0) {
      throw new IllegalArgumentException("PE " + pe + " is less than 0");
    }
    if (windowBytes <= 0) {
      throw new IllegalArgumentException("a window cannot have " + windowBytes + " bytes");
    }
    stripeFault(windowBytes, stripeBytes)
        .ifPresent(
            fault -> {
              throw new IllegalArgumentException("a heap cannot be divided: " + fault);
            });
    int bytes = HeapHeaderDescriptor.text(diskBases).length;
    if (diskBases.isEmpty()
        || !diskBases.stream().allMatch(Path::isAbsolute)
        || bytes > HeapHeaderDescriptor.DISK_BASES_BYTES) {
      throw new IllegalArgumentException(
          "the disk bases must be absolute and have at most %d bytes in UTF-8; these have %d: %s"
              .formatted(HeapHeaderDescriptor.DISK_BASES_BYTES, bytes, diskBases));
    }
  }

  /**
   * Returns the length of the files of a heap that has several.
   *
   * @param files how many, 1 to {@link #MAX_FILES}; the heap has fewer if it is small
   */
  public static long stripeBytes(long windowBytes, int files) {
    long all = allBytes(windowBytes);
    return files == 1
        ? all
        : Math.ceilDiv(Math.ceilDiv(all, files), ChunkGrid.CHUNK_BYTES) * ChunkGrid.CHUNK_BYTES;
  }

  /** Says why a heap cannot have files of a length; empty if it can. */
  static Optional<String> stripeFault(long windowBytes, long stripeBytes) {
    long all = allBytes(windowBytes);
    if (stripeBytes >= all
        || (stripeBytes >= ChunkGrid.CHUNK_BYTES
            && stripeBytes % ChunkGrid.CHUNK_BYTES == 0
            && Math.ceilDiv(all, stripeBytes) <= MAX_FILES)) {
      return Optional.empty();
    }
    return Optional.of(
        "its files have %d bytes each for a window of %d bytes"
            .formatted(stripeBytes, windowBytes));
  }

  /** Returns the number of its files, 1 to {@link #MAX_FILES}. */
  public int files() {
    return (int) Math.ceilDiv(allBytes(), stripeBytes);
  }

  /** Returns the length of all its files together, in bytes. */
  long allBytes() {
    return allBytes(windowBytes);
  }

  /** Returns the length of a file, numbered from 0, in bytes. */
  long fileBytes(int number) {
    return Math.min(stripeBytes, allBytes() - number * stripeBytes);
  }

  private static long allBytes(long windowBytes) {
    return HeapHeaderDescriptor.WINDOW_OFFSET + windowBytes;
  }
}
