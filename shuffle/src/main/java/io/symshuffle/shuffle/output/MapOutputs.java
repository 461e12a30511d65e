// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.DirectoryEntry;
import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.MapIdRange;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/**
 * Finds the map outputs of all PEs whose window is mapped in this process, including this PE. An
 * index is looked up, copied and checked once per process, then cached, so that later damage to the
 * owner's memory cannot change it. When the copies take too much memory or the JVM has no direct
 * memory left, further indexes are read in the owner's memory. Indexes in files are always copied.
 * When those take too much memory, the ones of other shuffles are kept only as long as somebody
 * uses them, and if that is not enough, further ones, too. When the JVM has no direct memory left,
 * that holds for all.
 *
 * <p>Thread-safe.
 */
public final class MapOutputs implements OutputLookup {
  /** Limit for each tier. With 1,000 partitions, an index has about 12 KiB. */
  private static final long MAX_COPIED_BYTES = 64L << 20;

  private final IntFunction<Optional<MemorySegment>> windows;
  private final Optional<DiskEncryption> encryption;
  private final long maxCopiedBytes;
  private final Map<Integer, ControlView> controls = new ConcurrentHashMap<>();
  private final Map<Integer, OfShuffle> known = new ConcurrentHashMap<>();

  /** Whether there has been direct memory for all copies. */
  private volatile boolean copies = true;

  /**
   * A cached index.
   *
   * @param kept the map output as long as it is cached; null if only as long as somebody uses it
   * @param copiedBytes size of its copy; 0 if it is read in place, or not kept
   */
  private record Found(
      DirectoryEntry entry, MapOutput kept, WeakReference<MapOutput> output, long copiedBytes) {
    static Found kept(DirectoryEntry entry, MapOutput output, long copiedBytes) {
      return new Found(entry, output, new WeakReference<>(output), copiedBytes);
    }

    Found loose() {
      return new Found(entry, null, output, 0);
    }

    Tier tier() {
      return entry.place().tier();
    }
  }

  /**
   * The cached indexes of a shuffle.
   *
   * @param outputs by map task
   * @param copiedBytes size of their copies, by the code of the tier that has the indexes
   * @param locks tasks that start together want the same indexes: one copies each, the others wait
   */
  private record OfShuffle(
      Map<Long, Found> outputs, AtomicLongArray copiedBytes, List<Object> locks) {
    private static final int LOCKS = 64;

    OfShuffle() {
      this(
          new ConcurrentHashMap<>(),
          new AtomicLongArray(Tier.values().length),
          Stream.generate(Object::new).limit(LOCKS).toList());
    }

    Object lock(long mapId) {
      return locks.get((int) Long.remainderUnsigned(mapId, LOCKS));
    }

    /** The map output, unless its owner has replaced or removed it since it was cached. */
    Optional<MapOutput> current(int pe, long mapId, ControlView control) {
      Found found = outputs.get(mapId);
      MapOutput output = found == null ? null : found.output.get();
      return output != null && output.pe() == pe && control.isCurrent(found.entry)
          ? Optional.of(output)
          : Optional.empty();
    }

    void put(long mapId, Found found) {
      count(found, 1);
      count(outputs.put(mapId, found), -1);
    }

    void remove(long mapId) {
      count(outputs.remove(mapId), -1);
    }

    /** Keeps the indexes of files only as long as somebody uses them. */
    void loosenFiles() {
      if (copiedBytes.get(Tier.DISK.code()) == 0) {
        return; // as before most lookups beyond the limit
      }
      outputs.forEach(
          (mapId, found) -> {
            if (found.tier() == Tier.DISK
                && found.kept != null
                && outputs.replace(mapId, found, found.loose())) {
              count(found, -1);
            }
          });
    }

    private void count(Found found, int times) {
      if (found != null) {
        copiedBytes.addAndGet(found.tier().code(), times * found.copiedBytes);
      }
    }
  }

  /**
   * @param windows returns the window of a PE, if this process can map it
   * @param encryption of the application's files, if they are encrypted
   */
  public MapOutputs(
      IntFunction<Optional<MemorySegment>> windows, Optional<DiskEncryption> encryption) {
    this(windows, encryption, MAX_COPIED_BYTES);
  }

  /** As above, without encryption. */
  public MapOutputs(IntFunction<Optional<MemorySegment>> windows) {
    this(windows, Optional.empty());
  }

  /** As above, with the size up to which indexes are copied, in bytes. */
  MapOutputs(
      IntFunction<Optional<MemorySegment>> windows,
      Optional<DiskEncryption> encryption,
      long maxCopiedBytes) {
    this.windows = windows;
    this.encryption = encryption;
    this.maxCopiedBytes = maxCopiedBytes;
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

  /** Whether this process can read the folders in which a PE keeps its files. */
  public boolean seesDisks(int pe) {
    return control(pe).map(view -> files(view.diskFolders()).areVisible()).orElse(false);
  }

  @Override
  public NavigableSet<Long> published(int pe, int shuffleId, MapIdRange range) {
    return control(pe)
        .map(view -> view.published(shuffleId, range))
        .orElseGet(Collections::emptyNavigableSet);
  }

  @Override
  public Optional<MapOutput> find(int pe, MapOutputId id) throws IOException {
    Optional<ControlView> control = control(pe);
    if (control.isEmpty()) {
      return Optional.empty();
    }
    OfShuffle ofShuffle = known.computeIfAbsent(id.shuffleId(), s -> new OfShuffle());
    Optional<MapOutput> current = ofShuffle.current(pe, id.mapId(), control.get());
    if (current.isPresent()) {
      return current;
    }
    synchronized (ofShuffle.lock(id.mapId())) {
      current = ofShuffle.current(pe, id.mapId(), control.get());
      return current.isPresent() ? current : lookUp(pe, id, control.get(), ofShuffle);
    }
  }

  /** Looks a map output up in the directory of its owner. */
  private Optional<MapOutput> lookUp(
      int pe, MapOutputId id, ControlView control, OfShuffle ofShuffle) throws IOException {
    ofShuffle.remove(id.mapId());
    Optional<DirectoryEntry> entry = control.find(id);
    if (entry.isEmpty()) {
      return Optional.empty();
    }
    IndexPlace place = entry.get().place();
    if (place.tier() == Tier.DISK) {
      MapOutput output = open(pe, id, place, control, true);
      Found found = Found.kept(entry.get(), output, place.bytes());
      ofShuffle.put(
          id.mapId(), hasRoomForFile(place.bytes(), id.shuffleId()) ? found : found.loose());
      return Optional.of(output);
    }
    Optional<MapOutput> copy = openCopy(pe, id, place, control);
    MapOutput output = copy.isPresent() ? copy.get() : open(pe, id, place, control, false);
    ofShuffle.put(
        id.mapId(), Found.kept(entry.get(), output, copy.isPresent() ? place.bytes() : 0));
    return Optional.of(output);
  }

  /** Whether an index of a file may be kept; loosens those of other shuffles if necessary. */
  private boolean hasRoomForFile(long bytes, int shuffleId) {
    if (bytes <= maxCopiedBytes - copiedBytes(Tier.DISK)) {
      return true;
    }
    // They may have ended.
    known.forEach(
        (other, ofShuffle) -> {
          if (other != shuffleId) {
            ofShuffle.loosenFiles();
          }
        });
    return bytes <= maxCopiedBytes - copiedBytes(Tier.DISK);
  }

  /** Opens a map output with a copy of its index; empty if there is no memory for one. */
  private Optional<MapOutput> openCopy(
      int pe, MapOutputId id, IndexPlace place, ControlView control) throws IOException {
    if (!copies || place.bytes() > maxCopiedBytes - copiedBytes(Tier.HOST)) {
      return Optional.empty();
    }
    try {
      return Optional.of(open(pe, id, place, control, true));
    } catch (OutOfMemoryError e) {
      // Each further try would wait for garbage collections.
      copies = false;
      return Optional.empty();
    }
  }

  private MapOutput open(
      int pe, MapOutputId id, IndexPlace place, ControlView control, boolean copied)
      throws IOException {
    MemorySegment window = windows.apply(pe).orElseThrow();
    RunFiles files = files(control.diskFolders());
    try {
      return MapOutput.open(pe, id, place, window, files, copied);
    } catch (NoMemoryException e) {
      // Also if there are none: another task may just have loosened them.
      known.values().forEach(OfShuffle::loosenFiles);
      return MapOutput.open(pe, id, place, window, files, copied);
    }
  }

  /** The files of a PE with these folders. */
  RunFiles files(List<Path> folders) {
    return new RunFiles(folders, encryption);
  }

  /** The size of all copies of indexes in a tier. */
  long copiedBytes(Tier tier) {
    long bytes = 0;
    for (OfShuffle ofShuffle : known.values()) {
      bytes += ofShuffle.copiedBytes.get(tier.code());
    }
    return bytes;
  }

  @Override
  public void forget(int shuffleId) {
    known.remove(shuffleId);
  }

  /** Drops the control region of a PE whose window is about to be unmapped. */
  void drop(int pe) {
    controls.remove(pe);
  }
}
