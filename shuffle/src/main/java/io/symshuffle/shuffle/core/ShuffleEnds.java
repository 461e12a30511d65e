// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.core;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

/**
 * Where the driver's plugin hears that a shuffle of ours is over. Spark tells executors by way of
 * their block managers, and it removes a living executor's block manager when a fetch from it has
 * failed, until the next heartbeat: what ends meanwhile that executor would keep for ever.
 */
public final class ShuffleEnds {
  private static final AtomicReference<Optional<IntConsumer>> LISTENER =
      new AtomicReference<>(Optional.empty());

  private ShuffleEnds() {}

  /** Calls {@code listener} with the id of each shuffle that is over, on any thread. */
  public static void listen(IntConsumer listener) {
    LISTENER.set(Optional.of(requireNonNull(listener, "listener is null")));
  }

  /** Calls nobody any more. */
  public static void forget() {
    LISTENER.set(Optional.empty());
  }

  /** Tells the listener that a shuffle is over. Called by the shuffle manager of the driver. */
  public static void ended(int shuffleId) {
    LISTENER.get().ifPresent(listener -> listener.accept(shuffleId));
  }
}
