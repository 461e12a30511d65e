// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.serve;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * A block that another thread prepares: compresses it, or brings it to memory from which it can be
 * sent. The thread that sends it waits for the result, and sends the block as it is stored if there
 * is none. Thread-safe.
 */
abstract class PreparedBlock {
  private final CompletableFuture<Optional<Content>> result = new CompletableFuture<>();

  @GuardedBy("this")
  private boolean released;

  /**
   * What is sent.
   *
   * @param pieces opens it; may be called several times
   */
  record Content(long bytes, Supplier<Pieces> pieces) {}

  /** Whether nobody waits for the result. */
  final synchronized boolean isEnded() {
    return released || result.isDone();
  }

  /** Ends the preparation; if the content is empty, the block is sent as it is stored. */
  final void end(Optional<Content> content) {
    if (content.isPresent() && result.complete(content)) {
      return;
    }
    if (result.complete(Optional.empty()) || result.join().isEmpty()) {
      release();
    }
  }

  /**
   * Waits for the result. Always returns the same one.
   *
   * @param limit how long to wait; after that there is no result
   * @return what to send, or empty to send the block as it is stored
   */
  final Optional<Content> await(Duration limit) {
    try {
      return result.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      end(Optional.empty());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      end(Optional.empty());
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
    return result.join();
  }

  /** Frees the memory; does nothing if this was called before. */
  final synchronized void release() {
    if (!released) {
      released = true;
      free();
    }
  }

  /** Frees the memory; called once, while this object is locked. */
  @GuardedBy("this")
  abstract void free();

  /** Whether the memory has been freed. */
  @GuardedBy("this")
  final boolean isReleased() {
    return released;
  }
}
