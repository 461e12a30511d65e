// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import java.io.Serializable;

/**
 * An executor that has joined.
 *
 * @param pe its number, 0 or more, never reused
 * @param heapFolder identifies the folder of its heap, see {@link Message.StartReport}; empty if it
 *     has not reported
 * @param changed the epoch of the last change of this entry, 1 or more
 */
public record Member(
    String executorId, int pe, HostIdentity host, String heapFolder, State state, long changed)
    implements Serializable {
  /** Whether a PE is alive. */
  public enum State {
    /** It joined, and Spark has not removed it. */
    JOINED,
    /** Spark removed the executor. What it wrote into its heap may still be readable. */
    LOST
  }

  public Member {
    if (pe < 0 || changed < 1) {
      throw new IllegalArgumentException(
          "PE %d of executor %s changed in epoch %d: a PE must be at least 0 and an epoch at least 1"
              .formatted(pe, executorId, changed));
    }
  }
}
