// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.gpu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.ffi.Segments;
import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.folder.BootId;
import io.symshuffle.heap.folder.HeapFile;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.folder.HeapHeader;
import io.symshuffle.heap.folder.HeapHeaderDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The file in which a PE with a {@link CudaHeap} says which chunks of its window have memory. It is
 * a heap file, {@code pe-<n>.gpu}, and its lock says whether the PE is alive. It outlives its PE.
 *
 * <pre>
 *   offset  bytes  field, in the window of the file
 *        0      8  bytes of the PE's device window, w
 *        8      8  bytes of a chunk, c
 *       16      8  the group: the PE that was the first of all PEs that can have its memory
 *       24      8  1 when the PE no longer hands out descriptors
 *       32      8  refreshes in which the PE has mapped all memory of all others
 *       40      8  1 when others keep its memory mapped although its heap file is removed
 *       64  8 w/c  for each chunk the number of its memory; 0: none
 * </pre>
 *
 * <p>Memory gets a new number each time it is created, so a reader notices that a chunk was
 * destroyed and created again. Only the owner writes. Thread-safe.
 */
final class ChunkDirectory implements AutoCloseable {
  /** Limits what a damaged file can make a reader allocate. */
  static final int MAX_CHUNKS = 1 << 16;

  private static final long MAX_WINDOW_BYTES = 1L << 46;
  private static final long MIN_CHUNK_BYTES = 64L << 10;
  private static final long CHUNK_BYTES_OFFSET = 8;
  private static final long GROUP_OFFSET = 16;
  private static final long LEFT_OFFSET = 24;
  private static final long REFRESHES_OFFSET = 32;
  private static final long KEPT_OFFSET = 40;
  private static final long CHUNKS_OFFSET = 64;
  private static final VarHandle LONG = Segments.varHandle(JAVA_LONG);

  private final HeapFile file;
  private final long windowBytes;
  private final long chunkBytes;

  private ChunkDirectory(HeapFile file, long windowBytes, long chunkBytes) {
    this.file = file;
    this.windowBytes = windowBytes;
    this.chunkBytes = chunkBytes;
  }

  /** Returns the path of a PE's table. */
  static Path path(HeapFolder folder, int pe) {
    return folder.path().resolve("pe-" + pe + ".gpu");
  }

  /**
   * Creates the table of this PE, without chunks.
   *
   * @param windowBytes a multiple of {@code chunkBytes}
   * @throws HeapException when the file exists or there is no space
   */
  static ChunkDirectory create(
      HeapFolder folder, int pe, long windowBytes, long chunkBytes, long group) {
    checkGeometry(windowBytes, chunkBytes);
    long bytes = CHUNKS_OFFSET + windowBytes / chunkBytes * Long.BYTES;
    HeapHeader header =
        new HeapHeader(
            pe,
            bytes,
            ProcessHandle.current().pid(),
            BootId.hash(),
            folder.token(),
            folder.diskBases());
    HeapFile file = HeapFile.create(path(folder, pe), header);
    if (!file.mapped().populate(HeapHeaderDescriptor.WINDOW_OFFSET, bytes)) {
      file.close();
      throw new HeapException("no space for the table of a device heap in " + folder);
    }
    file.window().set(JAVA_LONG, CHUNK_BYTES_OFFSET, chunkBytes);
    file.window().set(JAVA_LONG, GROUP_OFFSET, group);
    // Written last: a table without it is not ready yet.
    LONG.setRelease(file.window(), 0L, windowBytes);
    return new ChunkDirectory(file, windowBytes, chunkBytes);
  }

  /**
   * Opens the table of another PE.
   *
   * @return empty when it does not exist, is not complete yet, or was written on another machine
   * @throws HeapException when it is not a valid table of this PE and application
   */
  static Optional<ChunkDirectory> open(HeapFolder folder, int pe) {
    Path path = path(folder, pe);
    HeapFile file = HeapFile.open(path, pe, folder.token()).orElse(null);
    if (file == null) {
      return Optional.empty();
    }
    ChunkDirectory table = null;
    try {
      table = read(file);
    } catch (HeapException e) {
      throw new HeapException(
          "%s is not a valid table of a device heap: %s".formatted(path, e.getMessage()), e);
    } finally {
      if (table == null) {
        file.close();
      }
    }
    return Optional.ofNullable(table);
  }

  private static ChunkDirectory read(HeapFile file) {
    MemorySegment window = file.window();
    if (window.byteSize() < CHUNKS_OFFSET) {
      throw new HeapException("it has " + window.byteSize() + " bytes");
    }
    long windowBytes = (long) LONG.getAcquire(window, 0L);
    // Folders may be on a volume that several machines mount.
    if (windowBytes == 0 || file.header().bootId() != BootId.hash()) {
      return null;
    }
    long chunkBytes = window.get(JAVA_LONG, CHUNK_BYTES_OFFSET);
    checkGeometry(windowBytes, chunkBytes);
    long needed = CHUNKS_OFFSET + windowBytes / chunkBytes * Long.BYTES;
    if (window.byteSize() < needed) {
      throw new HeapException("it has %d bytes instead of %d".formatted(window.byteSize(), needed));
    }
    return new ChunkDirectory(file, windowBytes, chunkBytes);
  }

  /**
   * Checks the lengths of a window and its chunks.
   *
   * @throws HeapException when they do not fit
   */
  static void checkGeometry(long windowBytes, long chunkBytes) {
    if (chunkBytes < MIN_CHUNK_BYTES
        || windowBytes < chunkBytes
        || windowBytes > MAX_WINDOW_BYTES
        || windowBytes % chunkBytes != 0
        || windowBytes / chunkBytes > MAX_CHUNKS) {
      throw new HeapException(
          "a window of %d bytes cannot have chunks of %d bytes: at most %d chunks of at least %d"
              .formatted(windowBytes, chunkBytes, MAX_CHUNKS, MIN_CHUNK_BYTES));
    }
  }

  int pe() {
    return file.header().pe();
  }

  long windowBytes() {
    return windowBytes;
  }

  long chunkBytes() {
    return chunkBytes;
  }

  int chunks() {
    return (int) (windowBytes / chunkBytes);
  }

  /** Returns the PE that was the first of the group. */
  long group() {
    return file.window().get(JAVA_LONG, GROUP_OFFSET);
  }

  /** Returns whether the PE no longer hands out descriptors; its process may still be alive. */
  boolean hasLeft() {
    return (long) LONG.getAcquire(file.window(), LEFT_OFFSET) != 0;
  }

  /** Says that this PE no longer hands out descriptors. */
  void leave() {
    LONG.setRelease(file.window(), LEFT_OFFSET, 1L);
  }

  /** Returns whether others keep the PE's memory mapped although its heap file is removed. */
  boolean isKept() {
    return (long) LONG.getAcquire(file.window(), KEPT_OFFSET) != 0;
  }

  /** Says that others keep this PE's memory mapped although its heap file is removed. */
  void keep() {
    LONG.setRelease(file.window(), KEPT_OFFSET, 1L);
  }

  /** Returns the number of refreshes in which the PE has mapped all memory of all others. */
  long completedRefreshes() {
    return (long) LONG.getAcquire(file.window(), REFRESHES_OFFSET);
  }

  /** Counts a refresh in which this PE has mapped all memory of all others; for one thread. */
  void refreshed() {
    LONG.setRelease(file.window(), REFRESHES_OFFSET, completedRefreshes() + 1);
  }

  /** Returns the number of a chunk's memory, 0 when it has none. */
  long memory(int chunk) {
    return (long) LONG.getAcquire(file.window(), CHUNKS_OFFSET + (long) chunk * Long.BYTES);
  }

  /** Sets the number of a chunk's memory; for the owner. */
  void setMemory(int chunk, long number) {
    LONG.setRelease(file.window(), CHUNKS_OFFSET + (long) chunk * Long.BYTES, number);
  }

  /** Returns whether the PE is alive; for the tables of others. */
  boolean isOwnerAlive() {
    return file.isLocked();
  }

  @Override
  public void close() {
    file.close();
  }
}
