// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.history;

import io.symshuffle.shuffle.read.BlockCursor;
import io.symshuffle.shuffle.read.HostCursor;

/** Records each block of rows that a reduce task reads in place. */
final class RecordedCursor extends BlockCursor {
  private final BlockCursor blocks;
  private final int shuffleId;
  private final RecordedHeaps heaps;

  private RecordedCursor(BlockCursor blocks, int shuffleId, RecordedHeaps heaps) {
    this.blocks = blocks;
    this.shuffleId = shuffleId;
    this.heaps = heaps;
  }

  static HostCursor.Factory factory(HostCursor.Factory factory, RecordedHeaps heaps) {
    return (task, sources) ->
        new RecordedCursor(factory.open(task, sources), task.request().shuffleId(), heaps);
  }

  @Override
  public boolean advance() {
    if (!blocks.advance()) {
      return false;
    }
    moveTo(blocks);
    if (object == null) {
      heaps.read(shuffleId, position, limit - position);
    }
    return true;
  }

  @Override
  public RuntimeException corrupt(String found) {
    throw blocks.corrupt(found);
  }
}
