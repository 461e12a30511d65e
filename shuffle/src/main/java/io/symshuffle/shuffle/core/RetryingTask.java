// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.core;

import static java.util.Objects.requireNonNull;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Something that is done again and again: whatever is thrown, an {@link Error} too, ends one round
 * and is logged, the same failure once. A scheduler would end it for good, and without a word.
 *
 * <p>Thread-safe if its action is.
 */
final class RetryingTask implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(RetryingTask.class);

  private final String what;
  private final Runnable action;
  private volatile String lastFailure = "";

  /**
   * Repeats an action.
   *
   * @param what for the log, the end of a sentence that begins with "Cannot"
   * @param action one round
   */
  RetryingTask(String what, Runnable action) {
    this.what = requireNonNull(what, "what is null");
    this.action = requireNonNull(action, "action is null");
  }

  @Override
  public void run() {
    try {
      action.run();
    } catch (Throwable e) {
      String failure = e.toString();
      if (failure.equals(lastFailure)) {
        LOG.debug("Cannot {}, still", what, e);
      } else {
        lastFailure = failure;
        LOG.warn("Cannot {}, will try again", what, e);
      }
    }
  }
}
