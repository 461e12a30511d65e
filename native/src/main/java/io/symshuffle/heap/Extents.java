// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import java.util.Comparator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The free ranges of an allocator, never empty and never adjacent (neighbors are merged). Ordered
 * by offset, to find neighbors, and by length, to find the best fit. Not thread-safe.
 */
final class Extents {
  /** One free range. */
  record Extent(long offset, long bytes) {
    long end() {
      return offset + bytes;
    }
  }

  /** Shortest first; among equals, the lowest offset. */
  private static final Comparator<Extent> BEST_FIT =
      Comparator.comparingLong(Extent::bytes).thenComparingLong(Extent::offset);

  private final TreeMap<Long, Extent> byOffset = new TreeMap<>();
  private final TreeSet<Extent> byLength = new TreeSet<>(BEST_FIT);

  /** Returns a live view of all extents of at least {@code bytes}, best fit first. */
  NavigableSet<Extent> fitting(long bytes) {
    return byLength.tailSet(new Extent(0, bytes), true);
  }

  /** Returns the extent that contains a byte, or else the last one before it; null if none. */
  Extent at(long offset) {
    Map.Entry<Long, Extent> entry = byOffset.floorEntry(offset);
    return entry == null ? null : entry.getValue();
  }

  /** Returns the length of the longest extent, 0 when there is none. */
  long largest() {
    return byLength.isEmpty() ? 0 : byLength.last().bytes();
  }

  /** Removes a range, which must be inside one extent. */
  void remove(long offset, long bytes) {
    Map.Entry<Long, Extent> entry = byOffset.floorEntry(offset);
    if (entry == null || entry.getValue().end() < offset + bytes) {
      throw new IllegalStateException(
          bytes + " bytes at offset " + offset + " are not free: the nearest extent is " + entry);
    }
    Extent extent = entry.getValue();
    remove(extent);
    if (extent.offset() < offset) {
      add(new Extent(extent.offset(), offset - extent.offset()));
    }
    if (offset + bytes < extent.end()) {
      add(new Extent(offset + bytes, extent.end() - offset - bytes));
    }
  }

  /** Adds a range and merges it with its neighbors. */
  void add(long offset, long bytes) {
    long start = offset;
    long end = offset + bytes;
    Map.Entry<Long, Extent> before = byOffset.lowerEntry(end);
    if (before != null && before.getValue().end() > offset) {
      throw new IllegalStateException(
          bytes + " bytes at offset " + offset + " are already free: " + before.getValue());
    }
    if (before != null && before.getValue().end() == offset) {
      remove(before.getValue());
      start = before.getValue().offset();
    }
    Extent after = byOffset.get(end);
    if (after != null) {
      remove(after);
      end = after.end();
    }
    add(new Extent(start, end - start));
  }

  private void add(Extent extent) {
    byOffset.put(extent.offset(), extent);
    byLength.add(extent);
  }

  private void remove(Extent extent) {
    byOffset.remove(extent.offset());
    byLength.remove(extent);
  }
}
