// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.process;

/**
 * Runs an action if this process is terminated, for example by Ctrl-C, before the hook is closed.
 * It never runs if the process was already ending when the hook was created: what other hooks
 * start, such as commands that clean up, must complete.
 */
public final class TerminationHook implements AutoCloseable {
  private final Thread thread;
  private final boolean registered;

  /**
   * @param action what to do, on its own thread
   */
  public TerminationHook(Runnable action) {
    thread = Thread.ofPlatform().name("symshuffle-termination").unstarted(action);
    registered = add();
  }

  private boolean add() {
    try {
      Runtime.getRuntime().addShutdownHook(thread);
      return true;
    } catch (IllegalStateException ignored) {
      // The process is ending.
      return false;
    }
  }

  /** Returns whether this process is ending, so that the end of its children is expected. */
  public static boolean isEnding() {
    try (TerminationHook hook = new TerminationHook(() -> {})) {
      return !hook.registered;
    }
  }

  /** Returns whether the action runs at the end of this process. */
  boolean isRegistered() {
    return registered;
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(thread);
    } catch (IllegalStateException ignored) {
      // The process is ending.
    }
  }
}
