// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.faults;

import io.symshuffle.shuffle.read.BlockCursor;
import io.symshuffle.shuffle.read.LocalSource;
import io.symshuffle.shuffle.read.RowReads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.TaskContext;

/**
 * Reduce tasks that are delayed or killed once they hold a lease, and at each block on this host.
 */
final class FaultyReads implements RowReads {
  private final RowReads reads;
  private final Faults faults;

  private FaultyReads(RowReads reads, Faults faults) {
    this.reads = reads;
    this.faults = faults;
  }

  static RowReads.Factory factory(RowReads.Factory factory, Faults faults) {
    return task -> {
      faults.strikeUnfailing(FaultPoint.LEASE);
      return new FaultyReads(factory.start(task), faults);
    };
  }

  @Override
  public boolean tryAdd(List<LocalSource> ofOwner) {
    return reads.tryAdd(ofOwner);
  }

  @Override
  public List<BlockCursor> open(TaskContext context) {
    List<BlockCursor> cursors = new ArrayList<>();
    reads.open(context).forEach(cursor -> cursors.add(new Cursor(cursor, faults)));
    return cursors;
  }

  /** Injects a fault after each block is found. */
  static final class Cursor extends BlockCursor {
    private final BlockCursor blocks;
    private final Faults faults;

    Cursor(BlockCursor blocks, Faults faults) {
      this.blocks = blocks;
      this.faults = faults;
    }

    @Override
    public boolean advance() {
      if (!blocks.advance()) {
        return false;
      }
      try {
        faults.strike(FaultPoint.READ);
      } catch (IOException e) {
        throw corrupt(e.getMessage());
      }
      moveTo(blocks);
      return true;
    }

    @Override
    public RuntimeException corrupt(String found) {
      throw blocks.corrupt(found);
    }
  }
}
