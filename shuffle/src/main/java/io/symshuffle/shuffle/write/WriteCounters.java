// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.runtime.ShuffleUsage;

/** Counts the data of one map output, for this process and for its shuffle. Thread-safe. */
public final class WriteCounters {
  private final ShuffleStats stats;
  private final ShuffleUsage.OfShuffle usage;

  /** Creates counters for a shuffle. */
  public WriteCounters(ShuffleStats stats, int shuffleId) {
    this.stats = requireNonNull(stats, "stats is null");
    this.usage = stats.usage().of(shuffleId);
  }

  /** Counts a run, or the tables of a batch, that was written to a tier. */
  public void wrote(Tier tier, long bytes) {
    switch (tier) {
      case HOST -> stats.wroteHostRun(bytes);
      case DEVICE -> stats.wroteDeviceRun(bytes);
      case DISK -> stats.wroteDiskRun(bytes);
    }
    usage.wrote(tier, bytes);
  }

  /** Counts a published map output. */
  public void published() {
    stats.published();
    usage.published();
  }
}
