// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/**
 * The leases that tasks of this PE hold: one count per shuffle, in this PE's window. Owners of map
 * outputs check the lease tables of all PEs before they free memory.
 *
 * <p>A slot is one 64-bit word: shuffle id in the upper half, count in the lower; count 0 is a free
 * slot. A reader stores its lease, then reads an owner's directory; an owner erases its directory
 * entries, then reads the leases. These accesses are sequentially consistent, so one of the two
 * sees the other: either the reader finds nothing, or the owner waits. The leases of a PE end with
 * its process: owners ignore the table of a PE whose file is no longer locked.
 *
 * <p>Thread-safe.
 */
public final class LeaseTable implements Leases {
  private final MemorySegment window;

  @GuardedBy("this")
  private final Map<Integer, Integer> slots = new HashMap<>();

  @GuardedBy("this")
  private final long[] words = new long[ControlDescriptor.LEASE_SLOTS];

  @GuardedBy("this")
  private int free;

  /** Starts an empty table in a fresh (all-zero) window. */
  public LeaseTable(MemorySegment window) {
    this.window = window;
  }

  @Override
  public Lease acquire(int shuffleId) {
    add(shuffleId, 1);
    return new Lease(() -> add(shuffleId, -1));
  }

  /** Whether this PE holds a lease on a shuffle. */
  public synchronized boolean isLeased(int shuffleId) {
    return slots.containsKey(shuffleId);
  }

  @Override
  public synchronized int size() {
    return slots.size();
  }

  /**
   * Runs an action while this PE holds no lease; threads that acquire a lease wait until it is
   * done.
   *
   * @return false, without running the action, if this PE holds a lease
   */
  public synchronized boolean runWhileNoLeases(Runnable action) {
    if (!slots.isEmpty()) {
      return false;
    }
    action.run();
    return true;
  }

  private synchronized void add(int shuffleId, int change) {
    Integer slot = slots.get(shuffleId);
    if (slot == null) {
      slot = freeSlot();
      slots.put(shuffleId, slot);
    }
    int count = count(words[slot]) + change;
    words[slot] = count == 0 ? 0 : ((long) shuffleId << 32) | count;
    if (count == 0) {
      slots.remove(shuffleId);
      free = slot;
    }
    ControlFields.putLongVolatile(
        window, ControlDescriptor.LEASES_OFFSET + (long) slot * Long.BYTES, words[slot]);
  }

  @GuardedBy("this")
  private int freeSlot() {
    for (int i = 0; i < words.length; i++) {
      int slot = (free + i) % words.length;
      if (words[slot] == 0) {
        return slot;
      }
    }
    throw new IllegalStateException(
        "tasks of this executor already read %d shuffles at the same time: run fewer jobs concurrently"
            .formatted(words.length));
  }

  static int count(long word) {
    return (int) word;
  }

  static int shuffleId(long word) {
    return (int) (word >>> 32);
  }
}
