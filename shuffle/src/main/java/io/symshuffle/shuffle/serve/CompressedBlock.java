// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.serve;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A block that another thread compresses. Thread-safe. */
final class CompressedBlock extends PreparedBlock {
  private final TransferMemory memory;

  @GuardedBy("this")
  private final List<byte[]> packets = new ArrayList<>();

  @GuardedBy("this")
  private long reserved;

  CompressedBlock(TransferMemory memory) {
    this.memory = memory;
  }

  /** Adds a packet; false if the block is to be sent uncompressed. */
  synchronized boolean add(byte[] packet) {
    if (isEnded() || !memory.tryReserve(packet.length)) {
      return false;
    }
    reserved += packet.length;
    packets.add(packet);
    return true;
  }

  /** Size of all packets, in bytes. */
  synchronized long bytes() {
    return reserved;
  }

  /** Ends the compression; without success, the block is sent uncompressed. */
  void end(boolean success) {
    Optional<Content> content = Optional.empty();
    synchronized (this) {
      if (success) {
        List<byte[]> all = List.copyOf(packets);
        content = Optional.of(new Content(reserved, () -> pieces(all)));
      }
    }
    end(content);
  }

  @Override
  synchronized void free() {
    memory.release(reserved);
    packets.clear();
  }

  private static Pieces pieces(List<byte[]> packets) {
    return new Pieces() {
      private int next;
      private ByteBuffer piece = ByteBuffer.allocate(0);

      @Override
      public ByteBuffer piece() {
        if (!piece.hasRemaining() && next < packets.size()) {
          piece = ByteBuffer.wrap(packets.get(next++));
        }
        return piece;
      }

      @Override
      public void close() {}
    };
  }
}
