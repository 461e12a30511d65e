// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import java.util.BitSet;
import java.util.Random;

/**
 * A backing that tracks which 64-byte units have memory, with a limit and, optionally, failures
 * from a seed. Thread-safe.
 */
public final class FakeBacking implements SlabBacking {
  private static final int UNIT = 64;

  private final BitSet backed = new BitSet();
  private final Random failures = new Random(1);
  private long limitBytes = Long.MAX_VALUE;
  private double failureRate;
  private boolean releaseFails;
  private int reserveCalls;
  private int releaseCalls;

  synchronized FakeBacking limit(long bytes) {
    limitBytes = bytes;
    return this;
  }

  synchronized FakeBacking failureRate(double rate, long seed) {
    failureRate = rate;
    failures.setSeed(seed);
    return this;
  }

  synchronized FakeBacking releaseFails() {
    releaseFails = true;
    return this;
  }

  @Override
  public synchronized boolean reserve(long offset, long bytes) {
    reserveCalls++;
    boolean fails = failures.nextDouble() < failureRate;
    // Like Linux, backs part of the range when memory runs out.
    int from = (int) (offset / UNIT);
    int to = (int) ((fails ? offset + bytes / 2 : offset + bytes) / UNIT);
    long missing = (long) UNIT * (to - from - backed.get(from, to).cardinality());
    if (bytes() + missing > limitBytes) {
      backed.set(from, from + (to - from) / 2);
      return false;
    }
    backed.set(from, to);
    return !fails;
  }

  @Override
  public synchronized void release(long offset, long bytes) {
    releaseCalls++;
    if (releaseFails) {
      throw new IllegalStateException("cannot punch holes");
    }
    backed.clear((int) (offset / UNIT), (int) ((offset + bytes) / UNIT));
  }

  public synchronized long bytes() {
    return (long) backed.cardinality() * UNIT;
  }

  synchronized boolean isBacked(Slab slab) {
    return backed.nextClearBit((int) (slab.offset() / UNIT)) >= slab.end() / UNIT;
  }

  synchronized int reserveCalls() {
    return reserveCalls;
  }

  synchronized int releaseCalls() {
    return releaseCalls;
  }
}
