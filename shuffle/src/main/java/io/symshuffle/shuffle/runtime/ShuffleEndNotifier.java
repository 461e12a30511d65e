// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.runtime;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

/**
 * Notifies the driver's plugin when a shuffle of SymShuffle is unregistered. Spark tells executors
 * through their block managers, and after a failed fetch it removes the block manager of a living
 * executor until the next heartbeat: without this, that executor would never free shuffles that end
 * in between.
 */
public final class ShuffleEndNotifier {
  private static final AtomicReference<Optional<IntConsumer>> LISTENER =
      new AtomicReference<>(Optional.empty());

  private ShuffleEndNotifier() {}

  /** Calls {@code listener} with the id of each unregistered shuffle, on any thread. */
  public static void setListener(IntConsumer listener) {
    LISTENER.set(Optional.of(listener));
  }

  /** Removes the listener. */
  public static void clearListener() {
    LISTENER.set(Optional.empty());
  }

  /** Tells the listener that a shuffle was unregistered. Called by the driver's shuffle manager. */
  public static void notifyEnded(int shuffleId) {
    LISTENER.get().ifPresent(listener -> listener.accept(shuffleId));
  }
}
