// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.MemorySegment;

/** A map output of tables. */
public record TableOutput(int pe, TableIndex index, MemorySegment window, RunFiles files)
    implements MapOutput {
  @Override
  public boolean usesDisk(int startPartition, int endPartition) {
    int end = index.first(endPartition);
    for (int number = index.first(startPartition); number < end; number++) {
      if (index.table(number).tier() == Tier.DISK) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void addHostRanges(RangeSink to) {
    for (int number = 0; number < index.tables(); number++) {
      TableEntry table = index.table(number);
      if (table.tier() == Tier.HOST) {
        to.add(table.place(), table.storedBytes());
      }
    }
  }
}
