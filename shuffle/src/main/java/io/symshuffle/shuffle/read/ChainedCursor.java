// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import java.util.Iterator;
import java.util.List;

/** Concatenates cursors. */
public final class ChainedCursor extends BlockCursor {
  private final Iterator<BlockCursor> cursors;
  private BlockCursor current;

  private ChainedCursor(List<BlockCursor> cursors) {
    this.cursors = cursors.iterator();
  }

  /** Creates a cursor over the blocks of all {@code cursors}, in this order. */
  public static BlockCursor of(List<BlockCursor> cursors) {
    return cursors.size() == 1 ? cursors.getFirst() : new ChainedCursor(cursors);
  }

  @Override
  public boolean advance() {
    while (current == null || !current.advance()) {
      if (!cursors.hasNext()) {
        return false;
      }
      current = cursors.next();
    }
    moveTo(current);
    return true;
  }

  @Override
  public RuntimeException corrupt(String found) {
    throw current.corrupt(found);
  }
}
