// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

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

  private static final AtomicReference<Runnable> STARTING = new AtomicReference<>(() -> {});

  /** Whether the driver has given up shuffles of tables on the GPUs. */
  private static boolean onHost;

  private TableEngines() {}

  /**
   * Sets what is run before the engine of this process is tested, when all plugins have started.
   */
  public static void onStart(Runnable action) {
    STARTING.set(action);
  }

  /** All plugins of this process have started; its engine will be tested now. */
  public static void starting() {
    STARTING.get().run();
  }

  /** Sets who is told if the engine of this process is unavailable, when an application starts. */
  public static synchronized void onUnavailable(Consumer<String> listener) {
    onHost = false;
    LISTENER.set(listener);
  }

  /** Installs the engine of this process, unless the driver has given up such shuffles. */
  public static synchronized void install(TableEngine engine) {
    if (onHost) {
      engine.returnToHost();
    } else {
      CURRENT.set(engine);
    }
  }

  /**
   * Removes the engine of this process; tasks that need it fail with the reason.
   *
   * @param reason what happened and how to fix it
   */
  public static void unavailable(String reason) {
    REASON.set(reason);
    CURRENT.set(null);
    LISTENER.get().accept(reason);
  }

  /**
   * Removes the engine of this process, because the driver plans all further shuffles through the
   * host. Tasks of shuffles that are already planned fail.
   */
  public static synchronized void returnToHost(String reason) {
    REASON.set("tables go through the host now: " + reason);
    onHost = true;
    TableEngine engine = CURRENT.getAndSet(null);
    if (engine != null) {
      engine.returnToHost();
    }
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
