// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.runtime.ShuffleStats;

/** Compressors of blocks, for tests. */
public final class Compressors {
  private Compressors() {}

  /** A compressor that always uses a codec; {@link Codec#NONE} starts no thread. */
  public static TransferCompressor of(Codec codec, ShuffleStats stats) {
    return of(codec, Long.MAX_VALUE, stats);
  }

  /** A compressor whose blocks take at most {@code maxBytes} bytes while they wait. */
  public static TransferCompressor of(Codec codec, long maxBytes, ShuffleStats stats) {
    return new TransferCompressor(codec, new TransferMemory(maxBytes), 2, stats);
  }

  /** Bytes of compressed blocks that wait. */
  public static long waitingBytes(TransferCompressor compressor) {
    return compressor.waitingBytes();
  }
}
