// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.DirectoryEntry;
import io.symshuffle.shuffle.directory.MapOutputId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;

/**
 * Finds the map outputs of all PEs whose window is mapped in this process, including this PE. An
 * index is looked up and checked once per process, then cached.
 *
 * <p>Thread-safe.
 */
public final class MapOutputs {
  private final IntFunction<Optional<MemorySegment>> windows;
  private final Map<Integer, ControlView> controls = new ConcurrentHashMap<>();
  private final Map<Integer, Map<Long, Found>> known = new ConcurrentHashMap<>();

  private record Found(DirectoryEntry entry, MapOutput output) {}

  /**
   * Finds map outputs in windows.
   *
   * @param windows returns the window of a PE, if this process can map it
   */
  public MapOutputs(IntFunction<Optional<MemorySegment>> windows) {
    this.windows = requireNonNull(windows, "windows is null");
  }

  /** Whether a PE's window is mapped in this process. */
  public boolean isMapped(int pe) {
    return control(pe).isPresent();
  }

  /** A PE's control region, if its window is mapped in this process. */
  public Optional<ControlView> control(int pe) {
    ControlView view = controls.get(pe);
    if (view == null) {
      Optional<MemorySegment> window = windows.apply(pe);
      if (window.isEmpty()) {
        return Optional.empty();
      }
      view = ControlView.open(window.get());
      controls.put(pe, view);
    }
    return Optional.of(view);
  }

  /**
   * Finds a map output. The caller must hold a lease on its shuffle.
   *
   * @param pe the owner
   * @return empty if the owner's window is not mapped, or it has no such map output
   * @throws CorruptIndexException if its index is damaged
   * @throws io.symshuffle.shuffle.directory.CorruptControlException if the owner's directory is
   *     damaged
   * @throws IOException if its index is on disk and cannot be read
   */
  public Optional<MapOutput> find(int pe, MapOutputId id) throws IOException {
    Optional<ControlView> control = control(pe);
    if (control.isEmpty()) {
      return Optional.empty();
    }
    Map<Long, Found> ofShuffle =
        known.computeIfAbsent(id.shuffleId(), s -> new ConcurrentHashMap<>());
    Found found = ofShuffle.get(id.mapId());
    if (found == null || found.output.pe() != pe || !control.get().isCurrent(found.entry)) {
      Optional<DirectoryEntry> entry = control.get().find(id);
      if (entry.isEmpty()) {
        ofShuffle.remove(id.mapId());
        return Optional.empty();
      }
      MapOutput output =
          MapOutput.open(
              pe,
              id,
              entry.get().place(),
              windows.apply(pe).orElseThrow(),
              control.get().diskFolder());
      found = new Found(entry.get(), output);
      ofShuffle.put(id.mapId(), found);
    }
    return Optional.of(found.output);
  }

  /** Drops the cached indexes of a shuffle. */
  public void forget(int shuffleId) {
    known.remove(shuffleId);
  }

  /** Drops the control region of a PE whose window is about to be unmapped. */
  void drop(int pe) {
    controls.remove(pe);
  }
}
