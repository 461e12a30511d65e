// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.process;

/**
 * Runs an action if this process is terminated, for example by Ctrl-C, before the hook is closed.
 * It never runs if the process was already ending when the hook was created: what other hooks
 * start, such as commands that clean up, must complete.
 */
public final class TerminationHook implements AutoCloseable {
  private final Thread thread;

  /**
   * Registers an action.
   *
   * @param action what to do, on a thread of its own
   */
  public TerminationHook(Runnable action) {
    thread = Thread.ofPlatform().name("symshuffle-termination").unstarted(action);
    try {
      Runtime.getRuntime().addShutdownHook(thread);
    } catch (IllegalStateException ignored) {
      // The process is ending.
    }
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
