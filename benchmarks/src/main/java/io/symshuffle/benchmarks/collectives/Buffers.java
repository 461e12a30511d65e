// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.collectives;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.Piece;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * The buffers of an exchange.
 *
 * @param send the send buffer of a PE, as mapped on this GPU; empty when it is not mapped
 * @param receive this PE's receive buffer
 */
record Buffers(IntFunction<Optional<DeviceRange>> send, DeviceRange receive, int pe, int peCount) {

  /** Returns the start of this PE's send buffer. */
  DeviceRange sent(long bytes) {
    return mapped(pe).slice(0, bytes);
  }

  /** Returns the start of this PE's receive buffer. */
  DeviceRange received(long bytes) {
    return receive.slice(0, bytes);
  }

  /**
   * Returns the k-th PE in this PE's order: itself last, so that no two PEs start with the same PE.
   */
  int turn(int k) {
    return (pe + 1 + k) % peCount;
  }

  /** Returns the block of a PE's send buffer for another PE, as mapped on this GPU. */
  DeviceRange sendBlock(int owner, int to, long bytes) {
    return block(mapped(owner), to, bytes);
  }

  /** Returns the block of this PE's receive buffer from another PE. */
  DeviceRange receiveBlock(int from, long bytes) {
    return block(receive, from, bytes);
  }

  /** Returns all blocks that this PE reads, its own last. */
  List<Piece> pieces(long bytes) {
    return IntStream.range(0, peCount)
        .map(this::turn)
        .mapToObj(from -> new Piece(sendBlock(from, pe, bytes), receiveBlock(from, bytes), from))
        .toList();
  }

  private DeviceRange mapped(int owner) {
    return send.apply(owner)
        .orElseThrow(() -> new IllegalStateException("PE " + owner + " is not mapped"));
  }

  private DeviceRange block(DeviceRange buffer, int index, long bytes) {
    long length = bytes / peCount;
    return buffer.slice(index * length, length);
  }
}
