// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.serve;

import io.symshuffle.shuffle.runtime.ShuffleConfig;
import java.time.Duration;

/**
 * How an executor sends blocks.
 *
 * @param maxWait how long a thread that sends blocks waits for one that is being prepared, before
 *     it sends the block as it is stored; the preparation waits a quarter of it for memory
 * @param pinnedBytes how much pinned memory tables of the DEVICE tier may take; with 0 they are
 *     compressed or sent as other blocks are
 * @param packs whether the GPU packs these tables
 */
public record SendOptions(Duration maxWait, long pinnedBytes, boolean packs) {
  private static final Duration MAX_WAIT = Duration.ofSeconds(2);

  static SendOptions of(ShuffleConfig config) {
    return new SendOptions(
        MAX_WAIT, config.stagesTables() ? config.pinnedBytes() / 2 : 0, config.packsTables());
  }
}
