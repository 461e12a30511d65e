// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.SymmetricHeap;
import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.DirectoryEntry;
import io.symshuffle.shuffle.directory.MapOutputId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds the map outputs of packed tables of all PEs whose host window is mapped here. An index is
 * looked up and checked once a process; later tasks find it in a map.
 *
 * <p>Thread-safe.
 */
public final class TableOutputs {
  private final MapOutputs outputs;
  private final SymmetricHeap heap;
  private final Map<Integer, Map<Long, Found>> known = new ConcurrentHashMap<>();

  private record Found(DirectoryEntry entry, TableOutput output) {}

  /**
   * Looks into the windows of a heap.
   *
   * @param outputs knows their control regions
   */
  public TableOutputs(MapOutputs outputs, SymmetricHeap heap) {
    this.outputs = requireNonNull(outputs, "outputs is null");
    this.heap = requireNonNull(heap, "heap is null");
  }

  /**
   * Finds a map output. The caller holds a lease on its shuffle.
   *
   * @param pe the owner
   * @return empty if the owner's window is not reachable, it has no such map output, or that one
   *     has no tables but records
   * @throws CorruptIndexException if its index is damaged
   * @throws io.symshuffle.shuffle.directory.CorruptControlException if the owner's directory is
   * @throws IOException if its index lies on disk and cannot be read
   */
  public Optional<TableOutput> find(int pe, MapOutputId id) throws IOException {
    Optional<ControlView> control = outputs.control(pe);
    if (control.isEmpty()) {
      return Optional.empty();
    }
    Map<Long, Found> ofShuffle =
        known.computeIfAbsent(id.shuffleId(), s -> new ConcurrentHashMap<>());
    Found found = ofShuffle.get(id.mapId());
    if (found != null && found.output.pe() == pe && control.get().isCurrent(found.entry)) {
      return Optional.of(found.output);
    }
    ofShuffle.remove(id.mapId());
    Optional<DirectoryEntry> entry = control.get().find(id);
    if (entry.isEmpty()) {
      return Optional.empty();
    }
    MemorySegment window = heap.peer(pe).orElseThrow();
    Path file = DiskFile.path(control.get().diskFolder(), id);
    MemorySegment index = IndexMemory.of(id, entry.get().place(), window, file);
    if (!TableIndex.isOne(index)) {
      return Optional.empty();
    }
    TableOutput output = new TableOutput(pe, TableIndex.open(id, index), window, file);
    ofShuffle.put(id.mapId(), new Found(entry.get(), output));
    return Optional.of(output);
  }

  /** Forgets what was found of a shuffle. */
  public void forget(int shuffleId) {
    known.remove(shuffleId);
  }
}
