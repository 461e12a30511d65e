// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.runtime.PeerPages;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;

/** Compressors of blocks, for tests. */
public final class Compressors {
  /** Waits for blocks that are being prepared as long as it takes. */
  public static final SendOptions PATIENT = patient(0, false);

  private Compressors() {}

  /** As {@link #PATIENT}, with pinned memory. */
  public static SendOptions patient(long pinnedBytes, boolean packs) {
    return new SendOptions(Duration.ofMinutes(10), pinnedBytes, packs);
  }

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
    return server(compressor, Optional.empty(), PATIENT, UnaryOperator.identity(), stats);
  }

  /** As above, on a host where PEs are dead. */
  public static BlockServer server(
      TransferCompressor compressor, IntPredicate dead, ShuffleStats stats) {
    return server(compressor, Optional.empty(), PATIENT, UnaryOperator.identity(), dead, stats);
  }

  /** A server of blocks. */
  public static BlockServer server(
      TransferCompressor compressor,
      Optional<DeviceTier> device,
      SendOptions options,
      UnaryOperator<OutputReader> wrapper,
      ShuffleStats stats) {
    return server(compressor, device, options, wrapper, pe -> false, stats);
  }

  private static BlockServer server(
      TransferCompressor compressor,
      Optional<DeviceTier> device,
      SendOptions options,
      UnaryOperator<OutputReader> wrapper,
      IntPredicate dead,
      ShuffleStats stats) {
    return new BlockServer(
        compressor, device, options, PeerPages.unlimited(), Optional.empty(), wrapper, dead, stats);
  }

  /** Bytes of compressed blocks that wait. */
  public static long waitingBytes(TransferCompressor compressor) {
    return compressor.waitingBytes();
  }
}
