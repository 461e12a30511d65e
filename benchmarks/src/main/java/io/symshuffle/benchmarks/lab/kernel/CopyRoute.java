// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

/**
 * Which pieces a copy engine moves faster than a kernel. Measured on H200 (18 NVLinks of 26.6 GB/s,
 * driver 580), all PEs concurrently, in GB/s sent by each GPU; see docs/benchmarks.
 *
 * <p>A multiprocessor issues requests of 128 bytes, which limits reads to 335 GB/s for every kernel
 * (2, 4 or 8 loads of 16 bytes per thread, with or without L2 prefetch, or bulk copies: 334 to
 * 335). A copy engine issues longer requests, but takes a few microseconds to start, and engines
 * that serve several peers slow each other down.
 */
enum CopyRoute {
  /**
   * The source is remote. Engine against kernel, one peer: 271 to 244 for pieces of 4 MiB, 318 to
   * 269 for 8 MiB, 354 to 329 for 128 MiB; for 1 and 2 MiB the engine was not reliably faster.
   * Three peers: 231 to 327 for 64 MiB, 345 to 321 for 128 MiB, 360 to 329 for 256 MiB.
   */
  READ(4L << 20, 128L << 20),

  /**
   * The destination is remote. Engine against kernel, one peer: 283 to 272 for pieces of 4 MiB, 385
   * to 359 for 128 MiB; for 1 and 2 MiB the kernel was faster, 152 to 131 and 211 to 197. Three
   * peers: the kernel is always faster, 357 to 331 for 256 MiB.
   */
  WRITE(4L << 20, Long.MAX_VALUE);

  private final long withOnePeer;
  private final long withMorePeers;

  CopyRoute(long withOnePeer, long withMorePeers) {
    this.withOnePeer = withOnePeer;
    this.withMorePeers = withMorePeers;
  }

  /**
   * Returns whether an engine should copy a piece.
   *
   * @param peers number of other PEs in the list of pieces
   * @param bytes length of the piece
   */
  boolean byEngine(int peers, long bytes) {
    return bytes >= (peers > 1 ? withMorePeers : withOnePeer);
  }
}
