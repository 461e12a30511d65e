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

/**
 * A map output that this process can read: its index, its owner's window and its file. Its
 * directory entry determines which of the two kinds it is.
 *
 * <p>Thread-safe; valid while a lease on the shuffle is held.
 */
public sealed interface MapOutput permits RowOutput, TableOutput {
  /** Its index. */
  OutputIndex index();

  /** Its id. */
  default MapOutputId id() {
    return index().id();
  }

  /** Number of partitions of its shuffle. */
  default int partitions() {
    return index().partitions();
  }

  /** The PE that owns it. */
  int pe();

  /** The owner's window of the host heap. */
  MemorySegment window();

  /** The owner's files of the DISK tier. */
  RunFiles files();

  /** Whether data of a range of partitions is in its file. */
  boolean usesDisk(int startPartition, int endPartition);

  /**
   * Whether this process can read a range of partitions, except in GPU memory: what is on disk only
   * if it sees the owner's folders.
   */
  default boolean isReadable(int startPartition, int endPartition) {
    return !usesDisk(startPartition, endPartition) || files().areVisible();
  }

  /** Adds each range of the owner's window that it uses, except its index. */
  void addHostRanges(RangeSink to);

  /** Accepts ranges of a window. */
  @FunctionalInterface
  interface RangeSink {
    /** Adds {@code bytes} bytes at {@code offset}. */
    void add(long offset, long bytes);
  }

  /**
   * Opens a map output and checks its index.
   *
   * @param place the place of the index, from the owner's directory
   * @param window the owner's window of the host heap
   * @param files the owner's files of the DISK tier
   * @param copied whether an index in the owner's memory is copied before it is checked, so that
   *     damage to that memory does not affect it later; if not, it stays there
   * @throws CorruptIndexException if the index is damaged, or not inside the window or file
   * @throws IOException if the index is on disk and cannot be read
   * @throws OutOfMemoryError if the JVM has no direct memory for the copy
   */
  static MapOutput open(
      int pe,
      MapOutputId id,
      IndexPlace place,
      MemorySegment window,
      RunFiles files,
      boolean copied)
      throws IOException {
    MemorySegment index =
        place.tier() == Tier.HOST
            ? indexInWindow(id, place, window, copied)
            : indexOnDisk(id, place, files);
    return switch (place.kind()) {
      case ROWS -> new RowOutput(pe, RunIndex.open(id, index), window, files);
      case TABLES -> new TableOutput(pe, TableIndex.open(id, index), window, files);
    };
  }

  /**
   * This map output, if it consists of records.
   *
   * @throws CorruptIndexException if it consists of tables
   */
  default RowOutput rows() {
    if (this instanceof RowOutput rows) {
      return rows;
    }
    throw new CorruptIndexException(id(), "it lists packed tables, not rows");
  }

  /**
   * This map output, if it consists of packed tables.
   *
   * @throws CorruptIndexException if it consists of records
   */
  default TableOutput tables() {
    if (this instanceof TableOutput tables) {
      return tables;
    }
    throw new CorruptIndexException(id(), "it lists rows, not packed tables");
  }

  /**
   * Memory of the HOST tier.
   *
   * @param offset in the owner's window
   * @throws CorruptIndexException if that is outside the owner's arena, or not a multiple of 4
   */
  default MemorySegment hostMemory(long offset, long bytes) {
    return inArena(id(), window(), offset, bytes, Integer.BYTES);
  }

  private static MemorySegment indexInWindow(
      MapOutputId id, IndexPlace place, MemorySegment window, boolean copied) {
    MemorySegment index = inArena(id, window, place.offset(), place.bytes(), Long.BYTES);
    Pages.touch(index);
    return copied ? Arena.ofAuto().allocate(place.bytes(), Long.BYTES).copyFrom(index) : index;
  }

  private static MemorySegment inArena(
      MapOutputId id, MemorySegment window, long offset, long bytes, int alignment) {
    if (offset < ControlDescriptor.BYTES
        || offset > window.byteSize() - bytes
        || offset % alignment != 0) {
      throw new CorruptIndexException(
          id,
          "%d bytes at %d are outside the arena of a window of %d bytes, or not aligned"
              .formatted(bytes, offset, window.byteSize()));
    }
    return window.asSlice(offset, bytes);
  }

  private static MemorySegment indexOnDisk(MapOutputId id, IndexPlace place, RunFiles files)
      throws IOException {
    try (DiskFile file = files.open(id)) {
      if (place.offset() > file.bytes() - place.bytes()) {
        throw new CorruptIndexException(
            id,
            "%d bytes at %d are outside a file of %d bytes"
                .formatted(place.bytes(), place.offset(), file.bytes()));
      }
      MemorySegment index = allocate(place.bytes(), file.path());
      file.read(place.offset(), index);
      return index;
    }
  }

  /**
   * Allocates memory for an index. A sparse file may claim an index of any size. Spark ends an
   * executor that throws an {@code Error} or an exception that one caused, and a wrong size from
   * another PE must not cause that.
   */
  private static MemorySegment allocate(long bytes, Path path) throws IOException {
    try {
      return Arena.ofAuto().allocate(bytes, Long.BYTES);
    } catch (OutOfMemoryError e) {
      throw new NoMemoryException(
          "no memory for an index of %d bytes in %s: %s".formatted(bytes, path, e.getMessage()));
    }
  }
}
