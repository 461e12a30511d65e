// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import io.symshuffle.heap.SlabBacking;
import java.util.ArrayList;
import java.util.List;

/** Records calls, and fails reservations on demand. */
final class FakeBacking implements SlabBacking {
  final List<Range> reserved = new ArrayList<>();
  final List<Range> released = new ArrayList<>();
  boolean full;

  record Range(long offset, long bytes) {}

  @Override
  public boolean reserve(long offset, long bytes) {
    reserved.add(new Range(offset, bytes));
    return !full;
  }

  @Override
  public void release(long offset, long bytes) {
    released.add(new Range(offset, bytes));
  }
}
