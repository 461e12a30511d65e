// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.history;

import io.symshuffle.heap.host.PeerHeaps;
import io.symshuffle.shuffle.directory.OrphanDirectory;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Records which windows are mapped, and what is released in those of dead PEs. Thread-safe. */
final class RecordedHeaps implements PeerHeaps {
  private final PeerHeaps heaps;
  private final HistoryWriter events;
  private final Map<Integer, MemorySegment> mapped = new ConcurrentHashMap<>();

  RecordedHeaps(PeerHeaps heaps, HistoryWriter events) {
    this.heaps = heaps;
    this.events = events;
  }

  @Override
  public int myPe() {
    return heaps.myPe();
  }

  @Override
  public Optional<MemorySegment> peer(int pe) {
    Optional<MemorySegment> window = heaps.peer(pe);
    window.ifPresent(
        memory ->
            // The event is written before another thread sees the window here.
            mapped.computeIfAbsent(
                pe,
                unused -> {
                  events.window(EventKind.MAP, pe, 0, memory.byteSize());
                  return memory;
                }));
    return window;
  }

  @Override
  public void changeDead(int pe, long bytes, Consumer<MemorySegment> change) {
    // Entries are erased: those of ended shuffles, those on disks that this PE does not see, and
    // damaged ones.
    peer(pe)
        .flatMap(OrphanDirectory::of)
        .ifPresent(
            directory ->
                directory.published().stream()
                    .filter(output -> output.isDamaged() || output.place().tier() == Tier.DISK)
                    .forEach(output -> events.output(EventKind.ERASE, pe, output.id())));
    heaps.changeDead(pe, bytes, change);
  }

  @Override
  public void releaseDead(int pe, long offset, long bytes) {
    events.window(EventKind.PUNCH, pe, offset, bytes);
    heaps.releaseDead(pe, offset, bytes);
  }

  @Override
  public void unlink(int pe) {
    events.window(EventKind.PUNCH, pe, 0, Long.MAX_VALUE);
    heaps.unlink(pe);
  }

  @Override
  public void unmap(int pe) {
    events.window(EventKind.UNMAP, pe, 0, 0);
    mapped.remove(pe);
    heaps.unmap(pe);
  }

  /** Records that native memory of a window is read for a shuffle; other memory is ignored. */
  void read(int shuffleId, long address, long bytes) {
    for (Map.Entry<Integer, MemorySegment> window : mapped.entrySet()) {
      long offset = address - window.getValue().address();
      if (offset >= 0 && offset < window.getValue().byteSize()) {
        events.append(
            new Event(
                EventKind.READ, System.nanoTime(), window.getKey(), shuffleId, 0, offset, bytes));
        return;
      }
    }
  }
}
