// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** The bytes of an index, wherever its directory entry says that they lie. */
final class IndexMemory {
  private IndexMemory() {}

  /**
   * Finds or reads them.
   *
   * @param window the owner's window of the host heap
   * @param file the map output's file
   * @return the bytes, native and 8-byte aligned
   * @throws CorruptIndexException if the place lies outside
   * @throws IOException if they lie on disk and cannot be read
   */
  static MemorySegment of(MapOutputId id, IndexPlace place, MemorySegment window, Path file)
      throws IOException {
    return place.tier() == Tier.HOST ? inWindow(id, window, place) : onDisk(id, file, place);
  }

  private static MemorySegment inWindow(MapOutputId id, MemorySegment window, IndexPlace place) {
    if (place.offset() < ControlDescriptor.BYTES
        || place.offset() > window.byteSize() - place.bytes()
        || (place.offset() & 7) != 0) {
      throw new CorruptIndexException(
          id,
          "%d bytes at %d of a window of %d bytes"
              .formatted(place.bytes(), place.offset(), window.byteSize()));
    }
    MemorySegment index = window.asSlice(place.offset(), place.bytes());
    Pages.touch(index);
    return index;
  }

  private static MemorySegment onDisk(MapOutputId id, Path path, IndexPlace place)
      throws IOException {
    try (DiskFile file = DiskFile.open(path)) {
      if (place.offset() > file.bytes() - place.bytes()) {
        throw new CorruptIndexException(
            id,
            "%d bytes at %d of a file of %d bytes"
                .formatted(place.bytes(), place.offset(), file.bytes()));
      }
      MemorySegment index = memory(place.bytes(), path);
      file.read(place.offset(), index);
      return index;
    }
  }

  /**
   * A sparse file may claim an index of any size. Spark ends an executor over an {@code Error};
   * what another PE claims is no reason to.
   */
  private static MemorySegment memory(long bytes, Path path) throws IOException {
    try {
      return Arena.ofAuto().allocate(bytes, Long.BYTES);
    } catch (OutOfMemoryError e) {
      throw new IOException(
          "there is no memory for an index of %d bytes in %s: %s"
              .formatted(bytes, path, e.getMessage()),
          e);
    }
  }
}
