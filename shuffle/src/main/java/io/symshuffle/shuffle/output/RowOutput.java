// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.MemorySegment;

/** A map output of records, stored in runs. */
public record RowOutput(int pe, RunIndex index, MemorySegment window, RunFiles files)
    implements MapOutput {
  /**
   * The memory of a run of the HOST tier.
   *
   * @throws CorruptIndexException if the index points outside the owner's arena
   */
  public MemorySegment hostRun(RunView run) {
    return hostMemory(run.place(), run.bytes());
  }

  @Override
  public boolean usesDisk(int startPartition, int endPartition) {
    for (int number = 0; number < index.runs(); number++) {
      RunView run = index.run(number);
      if (run.tier() == Tier.DISK
          && run.firstBlock(startPartition) < run.firstBlock(endPartition)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void addHostRanges(RangeSink to) {
    for (int number = 0; number < index.runs(); number++) {
      RunView run = index.run(number);
      if (run.tier() == Tier.HOST) {
        to.add(run.place(), run.bytes());
      }
    }
  }
}
