// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.bootstrap;

import static java.util.Objects.requireNonNull;

/**
 * One executor in the table of PEs.
 *
 * @param executorId Spark's id of the executor
 * @param pe its number, 0 or more, never given to another executor
 * @param host where it runs
 * @param state whether it is still there
 * @param changed the epoch in which this entry changed last, 1 or more
 */
public record Member(String executorId, int pe, HostIdentity host, State state, long changed) {
  /** Whether a PE is there. */
  public enum State {
    /** It joined; Spark has not said otherwise. */
    JOINED,
    /** Spark removed the executor. What it wrote into its heap may still be readable. */
    LOST
  }

  /** Checks the numbers. */
  public Member {
    requireNonNull(executorId, "executorId is null");
    requireNonNull(host, "host is null");
    requireNonNull(state, "state is null");
    if (pe < 0 || changed < 1) {
      throw new IllegalArgumentException(
          "PE %d of executor %s, changed in epoch %d: a PE is 0 or more, an epoch 1 or more"
              .formatted(pe, executorId, changed));
    }
  }
}
