// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** When memory of one PE was freed or released. Add all events, sort them, then search. */
final class Frees {
  private final List<Event> events = new ArrayList<>();

  void add(Event event) {
    events.add(event);
  }

  void sort() {
    events.sort(Comparator.comparingLong(Event::time));
  }

  /** The events after one time and before another one. */
  List<Event> between(long start, long end) {
    int first = firstAfter(start);
    int last = first;
    while (last < events.size() && events.get(last).time() < end) {
      last++;
    }
    return events.subList(first, last);
  }

  private int firstAfter(long time) {
    int low = 0;
    int high = events.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (events.get(middle).time() > time) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
}
