// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.history;

import io.symshuffle.shuffle.directory.MapOutputId;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The time during which an executor holds at least one lease on a shuffle. Whatever it reads in
 * this time may be read until the end, since rows are used in place.
 */
final class LeasePeriod {
  private final int shuffleId;
  private final Map<Integer, Window> windows = new HashMap<>();
  private int leases;

  /** Bytes from some time on. */
  private record Range(long end, long time) {}

  /** What is read of one PE: ranges by their first byte, and map outputs with the first time. */
  private static final class Window {
    private final NavigableMap<Long, Range> ranges = new TreeMap<>();
    private final Map<MapOutputId, Long> outputs = new HashMap<>();
    private final long start;
    private long longest;

    Window(long start) {
      this.start = start;
    }

    void read(Event event) {
      long end = event.offset() + event.bytes();
      long start = event.offset();
      // What has been read before keeps its earlier time.
      Map.Entry<Long, Range> before = ranges.floorEntry(start);
      while (before != null && before.getValue().end > start) {
        start = before.getValue().end;
        before = ranges.floorEntry(start);
      }
      if (start < end) {
        ranges.put(start, new Range(end, event.time()));
        longest = Math.max(longest, end - start);
      }
    }

    boolean uses(Event free) {
      Long found = outputs.get(free.output());
      if (free.kind() == EventKind.FREE && found != null && found < free.time()) {
        return true;
      }
      long start = free.offset();
      long end = free.bytes() > Long.MAX_VALUE - start ? Long.MAX_VALUE : start + free.bytes();
      return ranges.subMap(Math.max(0, start - longest), true, end, false).values().stream()
          .anyMatch(range -> range.end > start && range.time < free.time());
    }
  }

  LeasePeriod(int shuffleId) {
    this.shuffleId = shuffleId;
  }

  int shuffleId() {
    return shuffleId;
  }

  /** A further lease was acquired. */
  void enter() {
    leases++;
  }

  /** A lease ended; returns whether it was the last one. */
  boolean leave() {
    return --leases == 0;
  }

  void found(Event event) {
    window(event).outputs.putIfAbsent(event.output(), event.time());
  }

  void read(Event event) {
    window(event).read(event);
  }

  private Window window(Event event) {
    return windows.computeIfAbsent(event.pe(), pe -> new Window(event.time()));
  }

  boolean reads(int pe) {
    return windows.containsKey(pe);
  }

  /** The time of the first read of a PE's memory, see {@link #reads}. */
  long start(int pe) {
    return windows.get(pe).start;
  }

  /** Whether what was freed was already being read. */
  boolean uses(Event free) {
    return windows.containsKey(free.pe()) && windows.get(free.pe()).uses(free);
  }
}
