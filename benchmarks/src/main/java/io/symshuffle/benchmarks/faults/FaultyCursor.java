// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.faults;

import io.symshuffle.shuffle.read.BlockCursor;
import io.symshuffle.shuffle.read.HostCursor;
import java.io.IOException;

/** Delays or kills reduce tasks that hold a lease, before they read in place and at each block. */
final class FaultyCursor extends BlockCursor {
  private final BlockCursor blocks;
  private final Faults faults;

  FaultyCursor(BlockCursor blocks, Faults faults) {
    this.blocks = blocks;
    this.faults = faults;
  }

  static HostCursor.Factory factory(HostCursor.Factory factory, Faults faults) {
    return (task, sources) -> {
      faults.strikeUnfailing(FaultPoint.LEASE);
      return new FaultyCursor(factory.open(task, sources), faults);
    };
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
