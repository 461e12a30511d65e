// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** The columnar engine of this process, if one keeps its shuffle data on the GPU. Thread-safe. */
public final class TableEngines {
  private static final AtomicReference<TableEngine> CURRENT = new AtomicReference<>();
  private static final AtomicReference<String> REASON =
      new AtomicReference<>("no columnar engine has been started here");

  private static final AtomicReference<Consumer<String>> LISTENER =
      new AtomicReference<>(reason -> {});

  private TableEngines() {}

  /** Sets who is told if the engine of this process is unavailable. */
  public static void onUnavailable(Consumer<String> listener) {
    LISTENER.set(requireNonNull(listener, "listener is null"));
  }

  /** Installs the engine of this process. */
  public static void install(TableEngine engine) {
    CURRENT.set(requireNonNull(engine, "engine is null"));
  }

  /**
   * Removes the engine of this process; tasks that need it fail with the reason.
   *
   * @param reason what happened and how to fix it
   */
  public static void unavailable(String reason) {
    REASON.set(requireNonNull(reason, "reason is null"));
    CURRENT.set(null);
    LISTENER.get().accept(reason);
  }

  /** The engine of this process, if any. */
  public static Optional<TableEngine> current() {
    return Optional.ofNullable(CURRENT.get());
  }

  /**
   * Returns the engine of this process.
   *
   * @throws IllegalStateException if there is none, with the reason
   */
  public static TableEngine require() {
    TableEngine engine = CURRENT.get();
    if (engine == null) {
      throw new IllegalStateException(
          "this executor cannot shuffle tables on the GPU: " + REASON.get());
    }
    return engine;
  }
}
