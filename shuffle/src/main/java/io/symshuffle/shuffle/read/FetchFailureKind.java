// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.shuffle.runtime.ShuffleCounter;

/** Why a task could not read a block. Each kind has a counter, since each needs another remedy. */
public enum FetchFailureKind {
  /** The bytes are not those that were written: suspect the memory, the disk or the network. */
  DAMAGED(ShuffleCounter.FETCHES_DAMAGED),
  /** The owner's heap or file exists no longer, was truncated, or the call that reads it failed. */
  UNREADABLE(ShuffleCounter.FETCHES_UNREADABLE),
  /** The owner's directory or an answer does not have the map output. */
  MISSING(ShuffleCounter.FETCHES_MISSING),
  /** The owner is lost, and no living executor can read what it left. */
  OWNER_LOST(ShuffleCounter.FETCHES_OWNER_LOST),
  /** Spark's block transfer failed. */
  TRANSFER(ShuffleCounter.FETCHES_TRANSFER);

  private final ShuffleCounter counter;

  FetchFailureKind(ShuffleCounter counter) {
    this.counter = counter;
  }

  ShuffleCounter counter() {
    return counter;
  }
}
