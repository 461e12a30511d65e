// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.history;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.MapIdRange;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.OutputLookup;
import java.io.IOException;
import java.util.NavigableSet;
import java.util.Optional;

/**
 * Records lookups. A task that finds a map output may read all of its bytes, so a lookup that finds
 * one is recorded as a read of each of its ranges. Thread-safe.
 */
final class RecordedLookup implements OutputLookup {
  private final OutputLookup lookup;
  private final HistoryWriter events;

  RecordedLookup(OutputLookup lookup, HistoryWriter events) {
    this.lookup = lookup;
    this.events = events;
  }

  @Override
  public NavigableSet<Long> published(int pe, int shuffleId, MapIdRange range) {
    return lookup.published(pe, shuffleId, range);
  }

  @Override
  public Optional<MapOutput> find(int pe, MapOutputId id) throws IOException {
    long start = System.nanoTime();
    Optional<MapOutput> found = lookup.find(pe, id);
    EventKind kind = found.isPresent() ? EventKind.FOUND : EventKind.MISSING;
    events.append(new Event(kind, start, pe, id.shuffleId(), id.mapId(), System.nanoTime(), 0));
    found.ifPresent(
        output ->
            output.addHostRanges(
                (offset, bytes) -> events.bytes(EventKind.READ, pe, id, offset, bytes)));
    return found;
  }

  @Override
  public void forget(int shuffleId) {
    lookup.forget(shuffleId);
  }
}
