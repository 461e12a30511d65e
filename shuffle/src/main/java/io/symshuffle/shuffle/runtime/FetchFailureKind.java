// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.runtime;

/**
 * Why a task could not read a block. Each kind has a counter, since each needs another remedy; its
 * documentation says what the kind means.
 */
public enum FetchFailureKind {
  DAMAGED(ShuffleCounter.FETCHES_DAMAGED),
  UNREADABLE(ShuffleCounter.FETCHES_UNREADABLE),
  MISSING(ShuffleCounter.FETCHES_MISSING),
  OWNER_LOST(ShuffleCounter.FETCHES_OWNER_LOST),
  TRANSFER(ShuffleCounter.FETCHES_TRANSFER);

  private final ShuffleCounter counter;

  FetchFailureKind(ShuffleCounter counter) {
    this.counter = counter;
  }

  /** Counts the failures of this kind. */
  public ShuffleCounter counter() {
    return counter;
  }
}
