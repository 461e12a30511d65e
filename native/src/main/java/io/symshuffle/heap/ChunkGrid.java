// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

/**
 * Divides a part of the window into chunks, the unit in which memory is reserved and released.
 *
 * <p>Chunk boundaries are at multiples of the chunk's length in the window, so the first and the
 * last chunk of a part may be shorter. Chunks are numbered from 0 within the part.
 *
 * @param base first byte of the part
 * @param end first byte after it
 * @param chunkBytes bytes of a chunk
 */
public record ChunkGrid(long base, long end, long chunkBytes) {
  /**
   * Bytes of a chunk of host memory: a huge page on x86-64 and a multiple of every page size in use
   * on Linux (4, 16 and 64 KiB).
   */
  public static final long CHUNK_BYTES = 2L << 20;

  int count() {
    return of(end - 1) + 1;
  }

  /** Returns the chunk that contains a byte. */
  int of(long offset) {
    return Math.toIntExact(offset / chunkBytes - base / chunkBytes);
  }

  /** Returns the offset of the first byte of a chunk. */
  long offset(int chunk) {
    return Math.max(base, (base / chunkBytes + chunk) * chunkBytes);
  }

  /** Returns the offset of the first byte after a chunk. */
  long end(int chunk) {
    return Math.min(end, (base / chunkBytes + chunk + 1) * chunkBytes);
  }

  long bytes(int chunk) {
    return end(chunk) - offset(chunk);
  }
}
