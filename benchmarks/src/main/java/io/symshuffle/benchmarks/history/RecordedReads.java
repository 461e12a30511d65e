// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.history;

import io.symshuffle.shuffle.read.BlockCursor;
import io.symshuffle.shuffle.read.LocalSource;
import io.symshuffle.shuffle.read.RowReads;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.TaskContext;

/** Records each block of rows that a reduce task reads in place. */
final class RecordedReads implements RowReads {
  private final RowReads reads;
  private final int shuffleId;
  private final RecordedHeaps heaps;

  private RecordedReads(RowReads reads, int shuffleId, RecordedHeaps heaps) {
    this.reads = reads;
    this.shuffleId = shuffleId;
    this.heaps = heaps;
  }

  static RowReads.Factory factory(RowReads.Factory factory, RecordedHeaps heaps) {
    return task -> new RecordedReads(factory.start(task), task.request().shuffleId(), heaps);
  }

  @Override
  public boolean tryAdd(List<LocalSource> ofOwner) {
    return reads.tryAdd(ofOwner);
  }

  @Override
  public List<BlockCursor> open(TaskContext context) {
    List<BlockCursor> cursors = new ArrayList<>();
    reads.open(context).forEach(cursor -> cursors.add(new Cursor(cursor)));
    return cursors;
  }

  private final class Cursor extends BlockCursor {
    private final BlockCursor blocks;

    Cursor(BlockCursor blocks) {
      this.blocks = blocks;
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
}
