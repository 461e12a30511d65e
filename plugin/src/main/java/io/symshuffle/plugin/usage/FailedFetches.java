// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.usage;

import java.io.Serializable;

/**
 * Blocks that an executor could not read since its start, by kind.
 *
 * @param damaged found damaged
 * @param unreadable whose heap or file is gone, was truncated or cannot be read
 * @param missing that the owner's directory or an answer does not have
 * @param ownerLost of a lost executor that no living one can read
 * @param transfer whose transfer failed
 */
public record FailedFetches(
    long damaged, long unreadable, long missing, long ownerLost, long transfer)
    implements Serializable {

  /** No failure. */
  public static final FailedFetches NONE = new FailedFetches(0, 0, 0, 0, 0);

  /** {@return the failures of both} */
  public FailedFetches plus(FailedFetches other) {
    return new FailedFetches(
        damaged + other.damaged,
        unreadable + other.unreadable,
        missing + other.missing,
        ownerLost + other.ownerLost,
        transfer + other.transfer);
  }

  /** {@return the failures of all kinds} */
  public long total() {
    return damaged + unreadable + missing + ownerLost + transfer;
  }
}
