// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.runtime;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that is run periodically and survives its failures: an exception or {@link Error} ends
 * only the current run and is logged, as a warning unless it repeats the last failure. Without
 * this, a scheduler would silently cancel the task.
 *
 * <p>Thread-safe if its action is.
 */
final class RetryingTask implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(RetryingTask.class);

  private final String what;
  private final Runnable action;
  private volatile String lastFailure = "";

  /**
   * @param what the action for the log, as the end of a sentence that starts with "Cannot"
   */
  RetryingTask(String what, Runnable action) {
    this.what = what;
    this.action = action;
  }

  @Override
  public void run() {
    try {
      action.run();
    } catch (Throwable e) {
      String failure = e.toString();
      if (failure.equals(lastFailure)) {
        LOG.debug("Still cannot {}", what, e);
      } else {
        lastFailure = failure;
        LOG.warn("Cannot {}, will try again", what, e);
      }
    }
  }
}
