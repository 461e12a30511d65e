// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.heap.SlabBacking;
import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.Directory;
import io.symshuffle.shuffle.directory.LeaseTable;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.stream.Stream;

/** A PE that owns map outputs, with the same parts as in the runtime. */
public final class Owner {
  /** The allocator of its window. */
  public final SlabAllocator slabs;

  /** Its map outputs. */
  public final MapOutputStore store;

  /** The leases of its tasks. */
  public final LeaseTable leases;

  /** Its window. */
  public final MemorySegment window;

  private final Path disk;

  private Owner(
      MemorySegment window,
      long arenaBytes,
      Optional<SlabAllocator> deviceSlabs,
      Path disk,
      IntPredicate leased) {
    this.window = window;
    this.disk = disk;
    this.slabs =
        new SlabAllocator(ControlDescriptor.BYTES, arenaBytes, SlabBacking.none(), 1L << 40);
    ControlView.create(window, List.of(disk));
    Directory directory = new Directory(window, SlabBacking.none());
    this.store =
        new MapOutputStore(
            new HeapStorage(
                window,
                slabs,
                deviceSlabs,
                new DiskFolders(List.of(disk), Optional.empty(), Codec.LZ4),
                Optional.empty()),
            directory,
            () -> leased);
    this.leases = new LeaseTable(window);
  }

  /** Adds a PE with an empty arena; {@code leased} returns the leases of the whole host. */
  public static Owner add(Windows windows, long arenaBytes, Path disk, IntPredicate leased) {
    return new Owner(windows.add(arenaBytes), arenaBytes, Optional.empty(), disk, leased);
  }

  /** Adds a PE that also has a window of a device heap, on a host without other leases. */
  public static Owner add(Windows windows, long arenaBytes, SlabAllocator deviceSlabs, Path disk) {
    MemorySegment window = windows.add(arenaBytes);
    return new Owner(
        window,
        arenaBytes,
        Optional.of(deviceSlabs),
        disk,
        shuffle -> ControlView.open(window).isLeased(shuffle));
  }

  /** Adds a PE on a host without leases. */
  public static Owner add(Windows windows, long arenaBytes, Path disk) {
    return add(windows, arenaBytes, disk, shuffle -> false);
  }

  /** Publishes a map output of runs, each in its tier. */
  public void publish(MapOutputId id, List<Records> runs, List<Tier> tiers) throws IOException {
    RowOutputBuilder output = store.buildRows(id, 1 << 20);
    for (int r = 0; r < runs.size(); r++) {
      runs.get(r).writeRun(output, tiers.get(r));
    }
    output.commit();
  }

  /** Lists a run in a map output, without checking its place. */
  public static void list(
      RowOutputBuilder output, Tier tier, long place, long bytes, BlockTable blocks) {
    output.add(tier, place, bytes, blocks);
  }

  /** Bytes of the arena that are allocated. */
  public long used() {
    return slabs.stats().usedBytes();
  }

  /** The files of its DISK tier. */
  public List<Path> files() {
    try (Stream<Path> files = Files.list(disk)) {
      return files.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
