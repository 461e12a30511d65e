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
import io.symshuffle.shuffle.directory.DirectoryEntry;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.LeaseTable;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.OrphanDirectory;
import io.symshuffle.shuffle.fixture.Runtimes;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.DirectoryEntryDescriptor;
import io.symshuffle.shuffle.layout.IndexDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
      reaper(heap, outputs, new LeaseTable(heap.local()), ID::equals).reap();
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
    try (ShuffleRuntime owner = Runtimes.start(folder, 0, 64L << 10)) {
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
      try (ShuffleRuntime owner = Runtimes.start(folder, 0, 8L << 20)) {
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

  /** Its shuffle is live: the entry counts as ended, whatever shuffle it names since its damage. */
  @ParameterizedTest
  @ValueSource(
      longs = {
        DirectoryEntryDescriptor.MAP_ID_OFFSET,
        DirectoryEntryDescriptor.SHUFFLE_ID_OFFSET,
        DirectoryEntryDescriptor.TIER_OFFSET,
        DirectoryEntryDescriptor.KIND_OFFSET,
        DirectoryEntryDescriptor.INDEX_OFFSET_OFFSET,
        DirectoryEntryDescriptor.CRC_OFFSET
      })
  void freesOnlyTheMapOutputWhoseEntryIsDamaged(long field, Random random) throws IOException {
    assertFreesOnlyOne(
        random,
        one -> {
          Lease lease = one.leases.acquire(ID.shuffleId());
          damage(one.heap, ID, field);
          assertTrue(one.outputs.find(0, ID).isPresent(), "found before the damage");
          one.reaper.reap();
          assertEquals(Optional.empty(), one.outputs.find(0, ID), "its entry is erased");
          return lease;
        });
  }

  /** Its shuffle is live, and an older reader of it comes back after its entry is erased. */
  @Test
  void freesOnlyTheMapOutputWhoseIndexIsDamaged(Random random) throws IOException {
    assertFreesOnlyOne(
        random,
        one -> {
          one.heap.changeDead(
              0,
              one.found.window().byteSize(),
              memory -> flip(memory, one.index + IndexDescriptor.CRC_OFFSET));
          one.reaper.reap();
          assertEquals(Optional.empty(), one.outputs.find(0, ID), "its entry is erased");
          Lease lease = one.leases.acquire(ID.shuffleId());
          one.reaper.reap();
          return lease;
        });
  }

  /** One of two map outputs of dead PE 0, and who reclaims its memory. */
  private record One(
      HostHeap heap,
      MapOutputs outputs,
      LeaseTable leases,
      OrphanHeapReaper reaper,
      MapOutput found,
      long index) {}

  /** Damages a map output until its entry is erased, and returns the lease of its last reader. */
  private interface Damage {
    Lease eraseEntryOf(One one) throws IOException;
  }

  /** The map output is readable until its last reader ends and freed then, the other one stays. */
  private void assertFreesOnlyOne(Random random, Damage damage) throws IOException {
    HeapFolder folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    MapOutputId healthy = new MapOutputId(ID.shuffleId(), ID.mapId() + 1);
    Records damaged;
    Records others;
    try (ShuffleRuntime owner = Runtimes.start(folder, 0, 8L << 20)) {
      damaged = write(owner, ID, random);
      others = write(owner, healthy, random);
    }
    try (HostHeap heap = start(folder, 2)) {
      MapOutputs outputs = new MapOutputs(heap::peer);
      LeaseTable leases = new LeaseTable(heap.local());
      Set<MapOutputId> ended = new HashSet<>();
      OrphanHeapReaper reaper = reaper(heap, outputs, leases, ended::contains);
      MapOutput found = find(outputs);
      long index = outputs.control(0).orElseThrow().find(ID).orElseThrow().place().offset();
      Lease lease = damage.eraseEntryOf(new One(heap, outputs, leases, reaper, found, index));
      Records.read(found, true).assertSameAs(damaged);
      lease.close();
      reaper.reap();
      assertEquals(0, found.window().get(ValueLayout.JAVA_LONG, index), "its memory is freed");
      assertFalse(Files.exists(found.files().find(ID)));
      Records.read(outputs.find(0, healthy).orElseThrow(), true).assertSameAs(others);

      ended.add(healthy);
      reaper.reap();
      assertFalse(Files.exists(folder.heapFile(0)));
    } finally {
      folder.remove();
    }
  }

  /** The volume of a dead pod is gone, and the reaper looks which indexes were on it. */
  @Test
  void erasesDamagedEntryOfPeWhoseDisksAreGone(@TempDir Path volumes, Random random)
      throws IOException {
    Path volume = Files.createDirectory(volumes.resolve("volume"));
    HeapFolder folder = HeapFolder.open(base, FolderToken.random(), List.of(volume));
    Records unused = writeAndDie(folder, random);
    try (HostHeap heap = start(folder, 2)) {
      Files.move(volume, volumes.resolve("elsewhere"));
      damage(heap, ID, DirectoryEntryDescriptor.CRC_OFFSET);
      reaper(heap, new MapOutputs(heap::peer), new LeaseTable(heap.local())).reap();
      assertFalse(Files.exists(folder.heapFile(0)));
    } finally {
      folder.remove();
    }
  }

  /** Flips a bit of a field of a directory entry of dead PE 0; returns false if it is erased. */
  static boolean damage(HostHeap heap, MapOutputId id, long field) {
    Optional<DirectoryEntry> entry = ControlView.open(heap.peer(0).orElseThrow()).find(id);
    entry.ifPresent(
        found ->
            heap.changeDead(
                0, ControlDescriptor.BYTES, control -> flip(control, found.offset() + field)));
    return entry.isPresent();
  }

  private static void flip(MemorySegment memory, long at) {
    byte before = memory.get(ValueLayout.JAVA_BYTE, at);
    memory.set(ValueLayout.JAVA_BYTE, at, (byte) (before ^ 1 << 6));
  }

  private static OrphanHeapReaper reaper(HostHeap heap, MapOutputs outputs, LeaseTable leases) {
    return reaper(heap, outputs, leases, id -> false);
  }

  private static OrphanHeapReaper reaper(
      HostHeap heap, MapOutputs outputs, LeaseTable leases, EndedOutputs ended) {
    return new OrphanHeapReaper(
        heap, heap, outputs, leases, new HostPeMonitor(heap, outputs, heap::isAlive), ended);
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
        .erase(output -> true, change -> heap.changeDead(0, ControlDescriptor.BYTES, change))
        .size();
  }

  private static HostHeap start(HeapFolder folder, int pe) {
    HostHeap heap = HostHeap.create(folder, pe, ControlDescriptor.BYTES + (1 << 20));
    ControlView.create(heap.local(), List.of(folder.path()));
    return heap;
  }

  private static Records writeAndDie(HeapFolder folder, Random random) throws IOException {
    try (ShuffleRuntime owner = Runtimes.start(folder, 0, 8L << 20)) {
      return write(owner, ID, random);
    }
  }

  /** Publishes a map output with runs in both tiers. */
  static Records write(ShuffleRuntime owner, MapOutputId id, Random random) throws IOException {
    RowOutputBuilder sink = owner.store().buildRows(id, PARTITIONS);
    Records all = new Records();
    for (Tier tier : List.of(Tier.HOST, Tier.DISK)) {
      Records run = Records.random(random, 200, PARTITIONS, 200);
      run.writeRun(sink, tier);
      all.addAll(run);
    }
    sink.commit();
    return all;
  }
}
