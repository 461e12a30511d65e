// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.Slab;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.heap.SlabBacking;
import org.junit.jupiter.api.Test;

class IdleTrimmerTest {
  private static final long MIB = 1 << 20;

  private final SlabAllocator slabs =
      new SlabAllocator(0, 64 * MIB, SlabBacking.none(), Long.MAX_VALUE);
  private long nanos;
  private final IdleTrimmer trimmer =
      new IdleTrimmer(() -> slabs.stats().usedBytes(), () -> slabs.trim(4 * MIB), () -> nanos);

  @Test
  void keepsFreedMemoryWhileShufflesRun() {
    for (int second = 0; second < 100; second++) {
      Slab slab = slabs.allocate(32 * MIB + second * MIB / 10).orElseThrow();
      pass(1);
      slabs.free(slab);
      pass(1);
    }
    assertEquals(0, slabs.stats().usedBytes());
    assertTrue(slabs.stats().backedBytes() >= 32 * MIB);
  }

  @Test
  void keepsFreedMemoryWhileAnotherStageScansForMinutes() {
    slabs.free(slabs.allocate(32 * MIB).orElseThrow());
    for (int second = 0; second < 240; second++) {
      pass(1);
    }
    assertEquals(32 * MIB, slabs.stats().backedBytes());
  }

  @Test
  void releasesAllButRetainedMemoryWhenHeapIsIdle() {
    Slab used = slabs.allocate(2 * MIB).orElseThrow();
    slabs.free(slabs.allocate(32 * MIB).orElseThrow());
    pass(1);
    pass(IdleTrimmer.IDLE_TIME.toSeconds() - 1);
    assertEquals(34 * MIB, slabs.stats().backedBytes());
    pass(1);
    assertEquals(used.bytes() + 4 * MIB, slabs.stats().backedBytes());
  }

  private void pass(long seconds) {
    nanos += seconds * 1_000_000_000L;
    trimmer.trimIfIdle();
  }
}
