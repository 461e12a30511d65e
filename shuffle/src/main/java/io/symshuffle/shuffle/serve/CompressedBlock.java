// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A block that another thread compresses. The thread that sends it waits for the result, and sends
 * the block uncompressed if there is none. Thread-safe.
 */
final class CompressedBlock {
  private final TransferMemory memory;
  private final CompletableFuture<Optional<List<byte[]>>> result = new CompletableFuture<>();

  @GuardedBy("this")
  private final List<byte[]> chunks = new ArrayList<>();

  @GuardedBy("this")
  private long reserved;

  @GuardedBy("this")
  private boolean released;

  CompressedBlock(TransferMemory memory) {
    this.memory = requireNonNull(memory, "memory is null");
  }

  /**
   * Adds a chunk.
   *
   * @return false if the block is to be sent uncompressed
   */
  synchronized boolean add(byte[] chunk) {
    if (released || result.isDone() || !memory.tryReserve(chunk.length)) {
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

  /** Whether nobody waits for more chunks. */
  synchronized boolean isEnded() {
    return released || result.isDone();
  }

  /** Ends the compression; without success, the block is sent uncompressed. */
  void end(boolean success) {
    List<byte[]> all;
    synchronized (this) {
      all = List.copyOf(chunks);
    }
    if (success && result.complete(Optional.of(all))) {
      return;
    }
    if (result.complete(Optional.empty()) || result.join().isEmpty()) {
      release();
    }
  }

  /**
   * Waits for the result. Always returns the same one.
   *
   * @param millis how long to wait; after that there is no result
   * @return the chunks, or empty to send the block uncompressed
   */
  Optional<List<byte[]>> await(long millis) {
    try {
      return result.get(millis, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      end(false);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      end(false);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
    return result.join();
  }

  /** Returns the memory; does nothing if this was called before. */
  synchronized void release() {
    if (!released) {
      released = true;
      memory.release(reserved);
      chunks.clear();
    }
  }

  /** The bytes of chunks, as pieces. */
  static Pieces pieces(List<byte[]> chunks) {
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
