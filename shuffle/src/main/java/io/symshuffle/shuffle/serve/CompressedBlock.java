// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A block that another thread compresses. Thread-safe. */
final class CompressedBlock extends PreparedBlock {
  private final TransferMemory memory;

  @GuardedBy("this")
  private final List<byte[]> chunks = new ArrayList<>();

  @GuardedBy("this")
  private long reserved;

  CompressedBlock(TransferMemory memory) {
    this.memory = requireNonNull(memory, "memory is null");
  }

  /**
   * Adds a chunk.
   *
   * @return false if the block is to be sent uncompressed
   */
  synchronized boolean add(byte[] chunk) {
    if (isEnded() || !memory.tryReserve(chunk.length)) {
      return false;
    }
    reserved += chunk.length;
    chunks.add(chunk);
    return true;
  }

  /** Size of all chunks, in bytes. */
  synchronized long bytes() {
    return reserved;
  }

  /** Ends the compression; without success, the block is sent uncompressed. */
  void end(boolean success) {
    Optional<Content> content = Optional.empty();
    synchronized (this) {
      if (success) {
        List<byte[]> all = List.copyOf(chunks);
        content = Optional.of(new Content(reserved, () -> pieces(all)));
      }
    }
    end(content);
  }

  @Override
  synchronized void free() {
    memory.release(reserved);
    chunks.clear();
  }

  /** The bytes of chunks, as pieces. */
  private static Pieces pieces(List<byte[]> chunks) {
    return new Pieces() {
      private int next;
      private ByteBuffer piece = ByteBuffer.allocate(0);

      @Override
      public ByteBuffer piece() {
        if (!piece.hasRemaining() && next < chunks.size()) {
          piece = ByteBuffer.wrap(chunks.get(next++));
        }
        return piece;
      }

      @Override
      public void close() {}
    };
  }
}
