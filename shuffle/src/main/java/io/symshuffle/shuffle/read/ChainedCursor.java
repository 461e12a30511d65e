// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

/** One cursor after the other. */
final class ChainedCursor extends BlockCursor {
  private final BlockCursor second;
  private BlockCursor current;
  private boolean inSecond;

  ChainedCursor(BlockCursor first, BlockCursor second) {
    this.current = requireNonNull(first, "first is null");
    this.second = requireNonNull(second, "second is null");
  }

  @Override
  boolean advance() {
    while (!current.advance()) {
      if (inSecond) {
        return false;
      }
      current = second;
      inSecond = true;
    }
    object = current.object;
    position = current.position;
    limit = current.limit;
    partition = current.partition;
    return true;
  }

  @Override
  RuntimeException corrupt(String found) {
    throw current.corrupt(found);
  }
}
