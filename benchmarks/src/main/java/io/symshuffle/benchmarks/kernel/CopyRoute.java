// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

/**
 * Which pieces a copy engine moves faster than a kernel. The numbers were measured on H200 (NVLink,
 * 18 links of 26.6 GB/s, driver 580), all PEs at once, in GB/s off each GPU; see docs/benchmarks.
 *
 * <p>Why there is a difference: a multiprocessor asks for 128 bytes at a time, which ends at 335
 * GB/s of reads, whatever the kernel (2, 4 or 8 loads of 16 bytes a thread, with or without L2
 * prefetch, or bulk copies: 334 to 335). An engine asks for more at a time, but has a start of some
 * microseconds, and several engines at work for several peers get into each other's way.
 */
enum CopyRoute {
  /**
   * The source is remote. One peer: pieces of 4 MiB 271 against 244, 8 MiB 318 against 269, 128 MiB
   * 354 against 329; of 1 and 2 MiB the engine was not reliably faster. Three peers: 64 MiB 231
   * against 327, 128 MiB 345 against 321, 256 MiB 360 against 329.
   */
  READ(4L << 20, 128L << 20),

  /**
   * The destination is remote. One peer: pieces of 4 MiB 283 against 272, 128 MiB 385 against 359;
   * of 1 and 2 MiB the kernel was faster, 152 against 131 and 211 against 197. Three peers: the
   * kernel is always faster, 256 MiB 357 against 331.
   */
  WRITE(4L << 20, Long.MAX_VALUE);

  private final long withOnePeer;
  private final long withMorePeers;

  CopyRoute(long withOnePeer, long withMorePeers) {
    this.withOnePeer = withOnePeer;
    this.withMorePeers = withMorePeers;
  }

  /**
   * Whether an engine is to move a piece.
   *
   * @param peers number of other PEs that pieces of the list come from or go to
   * @param bytes length of the piece
   */
  boolean byEngine(int peers, long bytes) {
    return bytes >= (peers > 1 ? withMorePeers : withOnePeer);
  }
}
