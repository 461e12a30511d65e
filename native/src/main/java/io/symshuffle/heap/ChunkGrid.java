// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

/**
 * How a part of the window is cut into chunks of 2 MiB, the unit in which memory is reserved and
 * given back: a huge page of x86-64 and a multiple of every page size in use on Linux (4, 16 and 64
 * KiB).
 *
 * <p>Chunk boundaries are multiples of 2 MiB of the window, wherever the part begins, so its first
 * and last chunk may be shorter. Chunks are numbered from 0 within the part.
 *
 * @param base first byte of the part
 * @param end first byte after it
 */
record ChunkGrid(long base, long end) {
  /** Bytes of a chunk. */
  static final long CHUNK_BYTES = 2L << 20;

  /** How many chunks there are. */
  int count() {
    return of(end - 1) + 1;
  }

  /** The chunk that holds a byte. */
  int of(long offset) {
    return Math.toIntExact(offset / CHUNK_BYTES - base / CHUNK_BYTES);
  }

  /** First byte of a chunk. */
  long offset(int chunk) {
    return Math.max(base, (base / CHUNK_BYTES + chunk) * CHUNK_BYTES);
  }

  /** First byte after a chunk. */
  long end(int chunk) {
    return Math.min(end, (base / CHUNK_BYTES + chunk + 1) * CHUNK_BYTES);
  }

  /** Length of a chunk. */
  long bytes(int chunk) {
    return end(chunk) - offset(chunk);
  }
}
