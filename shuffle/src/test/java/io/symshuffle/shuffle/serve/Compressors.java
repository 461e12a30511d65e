// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.runtime.PeerPages;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.util.Optional;
import java.util.function.UnaryOperator;

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

  /** A server of an executor without a GPU, whose blocks are compressed. */
  public static BlockServer server(TransferCompressor compressor, ShuffleStats stats) {
    return server(compressor, Optional.empty(), 0, false, UnaryOperator.identity(), stats);
  }

  /**
   * A server of blocks.
   *
   * @param pinnedBytes pinned memory for tables of the DEVICE tier; 0 to compress them as others
   * @param packs whether the GPU packs these tables
   */
  public static BlockServer server(
      TransferCompressor compressor,
      Optional<DeviceTier> device,
      long pinnedBytes,
      boolean packs,
      UnaryOperator<OutputReader> wrapper,
      ShuffleStats stats) {
    return new BlockServer(
        compressor, device, pinnedBytes, packs, PeerPages.unlimited(), wrapper, stats);
  }

  /** Bytes of compressed blocks that wait. */
  public static long waitingBytes(TransferCompressor compressor) {
    return compressor.waitingBytes();
  }
}
