// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.symshuffle.heap.Slab;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.heap.SlabBacking;
import io.symshuffle.heap.SlabStats;
import java.util.BitSet;
import java.util.Optional;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Memory is released to the operating system while other threads allocate: each slab has exclusive,
 * backed memory, and the statistics are right at the end.
 */
@JCStressTest
@Outcome(
    id = {"0, 0, 1", "0, 1, 1", "1, 0, 1", "1, 1, 1"},
    expect = ACCEPTABLE,
    desc = "each got a separate slab, or none since the memory was not free yet")
@Outcome(expect = FORBIDDEN, desc = "a shared slab, an unbacked slab, or wrong statistics")
@State
public class FreedSlab {
  private static final long CHUNK = 2 << 20;
  private static final int CHUNKS = 4;

  /** Which chunks have memory. */
  private static final class Backing implements SlabBacking {
    private final BitSet chunks = new BitSet();

    @Override
    public synchronized boolean reserve(long offset, long bytes) {
      chunks.set((int) (offset / CHUNK), (int) Math.ceilDiv(offset + bytes, CHUNK));
      return true;
    }

    @Override
    public synchronized void release(long offset, long bytes) {
      chunks.clear((int) (offset / CHUNK), (int) ((offset + bytes) / CHUNK));
    }

    synchronized boolean holds(Slab slab) {
      int last = (int) ((slab.end() - 1) / CHUNK);
      return chunks.nextClearBit((int) (slab.offset() / CHUNK)) > last;
    }

    synchronized long bytes() {
      return chunks.cardinality() * CHUNK;
    }
  }

  private final Backing backing = new Backing();
  private final SlabAllocator slabs = new SlabAllocator(0, CHUNKS * CHUNK, backing, 0);
  private final Slab old = slabs.allocate(2 * CHUNK).orElseThrow();
  private Optional<Slab> large = Optional.empty();
  private Optional<Slab> small = Optional.empty();
  private boolean allBacked = true;

  @Actor
  public void frees() {
    slabs.free(old);
  }

  @Actor
  public void allocatesLarge(III_Result result) {
    large = slabs.allocate(3 * CHUNK);
    result.r1 = large.isPresent() ? 1 : 0;
  }

  @Actor
  public void allocatesSmall(III_Result result) {
    small = slabs.allocate(64);
    result.r2 = small.isPresent() ? 1 : 0;
  }

  @Arbiter
  public void checks(III_Result result) {
    large.ifPresent(this::check);
    small.ifPresent(this::check);
    boolean apart =
        large.isEmpty()
            || small.isEmpty()
            || large.get().end() <= small.get().offset()
            || small.get().end() <= large.get().offset();
    SlabStats before = slabs.stats();
    boolean counted =
        before.usedBytes() == large.map(Slab::bytes).orElse(0L) + small.map(Slab::bytes).orElse(0L);
    large.ifPresent(slabs::free);
    small.ifPresent(slabs::free);
    SlabStats after = slabs.stats();
    boolean empty = after.usedBytes() == 0 && after.largestFreeBytes() == CHUNKS * CHUNK;
    boolean given = after.backedBytes() == 0 && backing.bytes() == 0;
    result.r3 = allBacked && apart && counted && empty && given ? 1 : 0;
  }

  private void check(Slab slab) {
    allBacked &= backing.holds(slab);
  }
}
