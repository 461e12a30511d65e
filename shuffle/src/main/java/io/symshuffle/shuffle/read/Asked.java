// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.shuffle.layout.MapIdRange;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a reduce task asks an owner for in one block: its partitions of some map outputs.
 *
 * @param range a range of map tasks; the owner answers with all that it has of them
 * @param sources the map outputs that the task reads, by map task id, at least one; the answer may
 *     contain others, such as those of repeated attempts
 */
record Asked(MapIdRange range, Map<Long, MapSource> sources) {
  Asked {
    sources = Map.copyOf(sources);
    if (sources.isEmpty()) {
      throw new IllegalArgumentException("nothing is asked for");
    }
  }

  /** The map output with the lowest id, to which damage of the whole answer is attributed. */
  MapSource first() {
    return new TreeMap<>(sources).firstEntry().getValue();
  }
}
