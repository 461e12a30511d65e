// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.heap.Slab;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.Directory;
import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.fault.FaultKind;
import io.symshuffle.shuffle.fault.Faults;
import io.symshuffle.shuffle.layout.DirectoryEntryDescriptor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The map outputs of this PE: where new ones are placed, and which ones there are.
 *
 * <p>Freeing has two steps. {@link #unregister} hides the map outputs of a shuffle from the
 * directory at once; {@link #reclaim} gives their memory and files back when no living PE of the
 * host holds a lease on the shuffle any more. The first is called by Spark, the second as often as
 * the caller likes.
 *
 * <p>Thread-safe.
 */
public final class MapOutputStore {
  static final Logger LOG = LoggerFactory.getLogger(MapOutputStore.class);

  private final MemorySegment window;
  private final SlabAllocator slabs;
  private final Optional<SlabAllocator> deviceSlabs;
  private final Directory directory;
  private final Path diskFolder;
  private final Supplier<IntPredicate> leases;

  /** Map outputs that are being written, by shuffle, started since it was last unregistered. */
  @GuardedBy("this")
  private final Map<Integer, Set<OutputSpace>> writing = new HashMap<>();

  @GuardedBy("this")
  private final Map<Integer, List<OwnedOutput>> published = new HashMap<>();

  @GuardedBy("this")
  private final Map<Integer, List<OwnedOutput>> hidden = new HashMap<>();

  /**
   * Starts with no map output.
   *
   * @param window the own window
   * @param slabs gives out its arena
   * @param deviceSlabs gives out the own window of the device heap, where there is one
   * @param directory the own directory, in the same window
   * @param diskFolder an own folder for the DISK tier; it exists
   * @param leases looks, each time anew, on which shuffles living PEs of the host hold a lease
   */
  public MapOutputStore(
      MemorySegment window,
      SlabAllocator slabs,
      Optional<SlabAllocator> deviceSlabs,
      Directory directory,
      Path diskFolder,
      Supplier<IntPredicate> leases) {
    this.window = requireNonNull(window, "window is null");
    this.slabs = requireNonNull(slabs, "slabs is null");
    this.deviceSlabs = requireNonNull(deviceSlabs, "deviceSlabs is null");
    this.directory = requireNonNull(directory, "directory is null");
    this.diskFolder = requireNonNull(diskFolder, "diskFolder is null");
    this.leases = requireNonNull(leases, "leases is null");
  }

  /**
   * Starts a map output.
   *
   * @param partitions of the shuffle
   */
  public MapOutputSink create(MapOutputId id, int partitions) {
    return new MapOutputSink(this, id, partitions);
  }

  /**
   * Starts a map output of packed tables.
   *
   * @param partitions of the shuffle
   */
  public TableSink createTables(MapOutputId id, int partitions) {
    return new TableSink(this, id, partitions);
  }

  /**
   * Hides all map outputs of a shuffle from readers that do not hold a lease on it yet. What tasks
   * are still writing will not be published; Spark may use the shuffle's id again for new ones.
   *
   * @return whether there were any
   */
  public boolean unregister(int shuffleId) {
    synchronized (this) {
      writing.remove(shuffleId);
      List<OwnedOutput> outputs = published.remove(shuffleId);
      if (outputs == null) {
        return false;
      }
      for (OwnedOutput output : outputs) {
        directory.erase(output.id());
      }
      hidden.merge(
          shuffleId,
          outputs,
          (old, more) -> {
            List<OwnedOutput> all = new ArrayList<>(old);
            all.addAll(more);
            return all;
          });
    }
    return true;
  }

  /**
   * Gives back what is hidden and not read any more.
   *
   * @return number of shuffles that are hidden and still read
   */
  public int reclaim() {
    Map<Integer, List<OwnedOutput>> candidates;
    synchronized (this) {
      if (hidden.isEmpty()) {
        return 0;
      }
      candidates = new HashMap<>(hidden);
    }
    // Hidden first, leases looked at after: see LeaseTable for why this order is safe. Map outputs
    // that are hidden after this look stay for the next call.
    IntPredicate leased = leases.get();
    int stillRead = 0;
    for (Map.Entry<Integer, List<OwnedOutput>> candidate : candidates.entrySet()) {
      int shuffleId = candidate.getKey();
      if (leased.test(shuffleId)) {
        stillRead++;
        continue;
      }
      synchronized (this) {
        if (!hidden.remove(shuffleId, candidate.getValue())) {
          continue;
        }
      }
      candidate.getValue().forEach(this::free);
    }
    return stillRead;
  }

  /** Number of map outputs that readers can find. */
  public synchronized int publishedOutputs() {
    return published.values().stream().mapToInt(List::size).sum();
  }

  /** Number of shuffles that wait for their readers. */
  public synchronized int hiddenShuffles() {
    return hidden.size();
  }

  SlabAllocator slabs() {
    return slabs;
  }

  Optional<SlabAllocator> deviceSlabs() {
    return deviceSlabs;
  }

  MemorySegment window() {
    return window;
  }

  Path diskFolder() {
    return diskFolder;
  }

  /**
   * Makes a map output visible.
   *
   * @return false, with nothing done, if its shuffle was unregistered since it was started
   */
  boolean publish(OutputSpace space, OwnedOutput output, IndexPlace place) {
    synchronized (this) {
      if (!endWriting(space)) {
        return false;
      }
      directory.publish(output.id(), place);
      published.computeIfAbsent(output.id().shuffleId(), s -> new ArrayList<>()).add(output);
      return true;
    }
  }

  /** A map output is started. */
  synchronized void beginWriting(OutputSpace space) {
    writing.computeIfAbsent(space.id().shuffleId(), s -> new HashSet<>()).add(space);
  }

  /** Whether a map output was being written, and its shuffle not unregistered since. */
  synchronized boolean endWriting(OutputSpace space) {
    Set<OutputSpace> ofShuffle = writing.get(space.id().shuffleId());
    if (ofShuffle == null || !ofShuffle.remove(space)) {
      return false;
    }
    if (ofShuffle.isEmpty()) {
      writing.remove(space.id().shuffleId());
    }
    return true;
  }

  /** A fault on purpose: flips a bit in the fields of a directory entry. */
  void damageEntry(MapOutputId id, Faults faults) {
    ControlView.open(window)
        .find(id)
        .ifPresent(
            entry ->
                faults.damage(
                    window.asSlice(
                        entry.offset() + DirectoryEntryDescriptor.INDEX_OFFSET_OFFSET,
                        DirectoryEntryDescriptor.CRC_OFFSET
                            + Integer.BYTES
                            - DirectoryEntryDescriptor.INDEX_OFFSET_OFFSET),
                    FaultKind.BIT));
  }

  void free(OwnedOutput output) {
    for (Slab slab : output.slabs()) {
      slabs.free(slab);
    }
    for (Slab slab : output.deviceSlabs()) {
      deviceSlabs.orElseThrow().free(slab);
    }
    output
        .file()
        .ifPresent(
            file -> {
              try {
                DiskFile.delete(file);
              } catch (IOException e) {
                LOG.warn("Cannot delete {} of {}: {}", file, output.id(), e.toString());
              }
            });
  }
}
