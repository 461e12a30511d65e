// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.LeaseTable;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.OrphanDirectory;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.runtime.ShuffleConfig;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** PE 2 frees the memory of dead PE 0. */
@ExtendWith(SeededRandom.class)
class OrphanHeapReaperTest {
  private static final int PARTITIONS = 20;
  private static final int LAST_PE = 3;
  private static final MapOutputId ID = new MapOutputId(7, 1);

  @TempDir Path base;

  /**
   * PE 1 may start after PE 2 and then free memory, too. It erases the entry just after PE 2 has
   * read the leases, and a task of PE 2 has found the map output before.
   */
  @Test
  void keepsMapOutputThatAnotherPeErasesAfterTheLeasesWereRead(Random random) throws IOException {
    HeapFolder folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    Records written = writeAndDie(folder, random);
    List<MapOutput> found = new ArrayList<>();
    try (HostHeap heap = start(folder, 2);
        HostHeap last = start(folder, LAST_PE)) {
      assertEquals(LAST_PE, last.myPe());
      LeaseTable leases = new LeaseTable(heap.local());
      List<Lease> held = new ArrayList<>();
      MapOutputs ofReader = new MapOutputs(heap::peer);
      // Leases are read in the order of the PEs, and this is called for the last one.
      MapOutputs outputs =
          new MapOutputs(
              pe -> {
                if (pe == LAST_PE) {
                  held.add(leases.acquire(ID.shuffleId()));
                  found.add(find(ofReader));
                  assertEquals(1, eraseAll(heap));
                }
                return heap.peer(pe);
              });
      OrphanHeapReaper reaper = reaper(heap, outputs, leases);
      reaper.reap();
      assertEquals(1, found.size());
      Records.read(found.getFirst(), true).assertSameAs(written);
      held.getFirst().close();
      // The other PE may have died before it freed anything.
      reaper.reap();
      assertFalse(Files.exists(folder.heapFile(0)));
    } finally {
      folder.remove();
    }
  }

  /** A task reads the map output that another PE erases while the reaper waits for older leases. */
  @Test
  void keepsMapOutputThatAnotherPeErasesWhileItWaitsForOlderLeases(Random random)
      throws IOException {
    HeapFolder folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    Records written = writeAndDie(folder, random);
    try (HostHeap heap = start(folder, 2)) {
      LeaseTable leases = new LeaseTable(heap.local());
      MapOutputs outputs = new MapOutputs(heap::peer);
      OrphanHeapReaper reaper = reaper(heap, outputs, leases);
      Lease older = leases.acquire(ID.shuffleId() + 1);
      reaper.reap();
      Lease ofReader = leases.acquire(ID.shuffleId());
      MapOutput found = find(outputs);
      assertEquals(1, eraseAll(heap));
      older.close();
      reaper.reap();
      Records.read(found, true).assertSameAs(written);
      ofReader.close();
      reaper.reap();
      assertFalse(Files.exists(folder.heapFile(0)));
    } finally {
      folder.remove();
    }
  }

  @Test
  void removesHeapWithoutMapOutputs(@TempDir Path other, Random random) throws IOException {
    HeapFolder folder = HeapFolder.open(other, FolderToken.random(), List.of(other));
    Records unused = writeAndDie(folder, random);
    try (HostHeap heap = start(folder, 2)) {
      MapOutputs outputs = new MapOutputs(heap::peer);
      new OrphanHeapReaper(
              heap,
              heap,
              outputs,
              new LeaseTable(heap.local()),
              new HostPeMonitor(heap, outputs, heap::isAlive),
              ID::equals)
          .reap();
      assertFalse(Files.exists(folder.heapFile(0)));
    } finally {
      folder.remove();
    }
  }

  /** The volume of a dead pod is gone, with the index that says which memory is in use. */
  @Test
  void freesMemoryOfMapOutputWhoseIndexIsGone(@TempDir Path volumes, Random random)
      throws IOException {
    Path volume = Files.createDirectory(volumes.resolve("volume"));
    HeapFolder folder = HeapFolder.open(base, FolderToken.random(), List.of(volume));
    try (ShuffleRuntime owner = start(folder, 64L << 10)) {
      // An index of 98 KiB.
      RowOutputBuilder output = owner.store().buildRows(ID, 1 << 13);
      Records ofEach = new Records();
      for (int partition = 0; partition < 1 << 13; partition++) {
        ofEach.add(partition, new byte[1]);
      }
      ofEach.writeRun(output, Tier.DISK);
      Records.random(random, 20, PARTITIONS, 200).writeRun(output, Tier.HOST);
      output.commit();
    }
    try (HostHeap heap = start(folder, 2)) {
      MapOutputs outputs = new MapOutputs(heap::peer);
      LeaseTable leases = new LeaseTable(heap.local());
      OrphanHeapReaper reaper = reaper(heap, outputs, leases);
      reaper.reap();
      assertTrue(Files.exists(folder.heapFile(0)));

      Files.move(volume, volumes.resolve("elsewhere"));
      Lease lease = leases.acquire(ID.shuffleId());
      reaper.reap();
      assertTrue(Files.exists(folder.heapFile(0)));
      lease.close();
      reaper.reap();
      assertFalse(Files.exists(folder.heapFile(0)));
    } finally {
      folder.remove();
    }
  }

  /** PE 1 is in another pod, and removes the heap of PE 0 without seeing its disk. */
  @Test
  void removesFilesThatTheResponsiblePeDoesNotSee(@TempDir Path volume, Random random)
      throws IOException {
    HeapFolder folder = HeapFolder.open(base, FolderToken.random(), List.of(volume));
    try (HostHeap responsible = HostHeap.create(folder, 1, ControlDescriptor.BYTES + (1 << 20));
        HostHeap heap = start(folder, 2)) {
      ControlView.create(responsible.local(), List.of(Path.of("/of/another/pod")));
      MapOutputs outputs = new MapOutputs(heap::peer);
      OrphanHeapReaper reaper = reaper(heap, outputs, new LeaseTable(heap.local()));
      Path files;
      try (ShuffleRuntime owner = start(folder, 8L << 20)) {
        RowOutputBuilder output = owner.store().buildRows(ID, PARTITIONS);
        Records.random(random, 20, PARTITIONS, 200).writeRun(output, Tier.DISK);
        output.commit();
        reaper.reap();
        files = heap.diskFolders(0).getFirst();
        Files.delete(folder.heapFile(0));
        reaper.reap();
        assertTrue(Files.exists(files), "its owner is alive");
      }
      reaper.reap();
      assertFalse(Files.exists(files));
      assertFalse(Files.exists(folder.heapFile(0)));
    } finally {
      folder.remove();
    }
  }

  private static OrphanHeapReaper reaper(HostHeap heap, MapOutputs outputs, LeaseTable leases) {
    return new OrphanHeapReaper(
        heap, heap, outputs, leases, new HostPeMonitor(heap, outputs, heap::isAlive), id -> false);
  }

  private static MapOutput find(MapOutputs outputs) {
    try {
      return outputs.find(0, ID).orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int eraseAll(HostHeap heap) {
    return OrphanDirectory.of(heap.peer(0).orElseThrow())
        .orElseThrow()
        .erase(id -> true, change -> heap.changeDead(0, ControlDescriptor.BYTES, change));
  }

  private static HostHeap start(HeapFolder folder, int pe) {
    HostHeap heap = HostHeap.create(folder, pe, ControlDescriptor.BYTES + (1 << 20));
    ControlView.create(heap.local(), List.of(folder.path()));
    return heap;
  }

  /** Starts PE 0. */
  private static ShuffleRuntime start(HeapFolder folder, long arenaBytes) throws IOException {
    return ShuffleRuntime.start(
        new ShuffleConfig(1 << 20, true, true, 0),
        HostHeap.create(folder, 0, ShuffleRuntime.windowBytes(arenaBytes)),
        folder.diskFolders(0),
        id -> OptionalInt.empty(),
        new ShuffleStats());
  }

  private static Records writeAndDie(HeapFolder folder, Random random) throws IOException {
    try (ShuffleRuntime owner = start(folder, 8L << 20)) {
      RowOutputBuilder sink = owner.store().buildRows(ID, PARTITIONS);
      Records records = Records.random(random, 200, PARTITIONS, 200);
      records.writeRun(sink, Tier.HOST);
      sink.commit();
      return records;
    }
  }
}
