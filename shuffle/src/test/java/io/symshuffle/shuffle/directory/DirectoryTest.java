// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.SlabBacking;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.DirectoryEntryDescriptor;
import io.symshuffle.shuffle.layout.OutputKind;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SeededRandom.class)
class DirectoryTest {
  /** Entries of table 0 that are used before table 1 is added. */
  private static final int FIRST_TABLE_LIMIT = 6144;

  @AutoClose private final Windows windows = new Windows();
  private MemorySegment window;
  private Directory directory;
  private ControlView view;

  @BeforeEach
  void start() {
    start(SlabBacking.none());
  }

  private void start(SlabBacking backing) {
    window = windows.add(0);
    ControlView.create(window, List.of(Path.of("/disk")));
    directory = new Directory(window, backing);
    view = ControlView.open(window);
  }

  @Test
  void behavesLikeAMap(Random random) {
    List<MapOutputId> ids = ids(random, 20_000);
    Map<MapOutputId, IndexPlace> model = new HashMap<>();
    int most = 0;
    // Grows, shrinks to almost nothing, grows again: uses several tables and reuses erased entries.
    for (int step = 0; step < 120_000; step++) {
      MapOutputId id = ids.get(random.nextInt(ids.size()));
      double publishing = step < 60_000 ? 0.9 : step < 90_000 ? 0.1 : 0.7;
      if (random.nextDouble() < publishing) {
        IndexPlace place = place(random);
        if (model.putIfAbsent(id, place) == null) {
          directory.publish(id, place);
        } else {
          assertThrows(IllegalStateException.class, () -> directory.publish(id, place));
        }
      } else {
        assertEquals(model.remove(id) != null, directory.erase(id));
      }
      MapOutputId other = ids.get(random.nextInt(ids.size()));
      assertEquals(
          Optional.ofNullable(model.get(other)), view.find(other).map(DirectoryEntry::place));
      most = Math.max(most, model.size());
    }
    assertTrue(
        most > 12_000, "only " + most + " map outputs at a time: too few for a second table");
    for (MapOutputId id : ids) {
      assertEquals(Optional.ofNullable(model.get(id)), view.find(id).map(DirectoryEntry::place));
    }
    assertEquals(entriesInUse(), directory.occupied());
    Collections.shuffle(ids, random);
    ids.forEach(directory::erase);
    assertEquals(0, directory.occupied(), "chains are not shortened");
    assertEquals(0, entriesInUse());
  }

  @Test
  void entryIsCurrentUntilErasedOrReused() {
    MapOutputId id = new MapOutputId(1, 1);
    IndexPlace place = new IndexPlace(OutputKind.ROWS, Tier.HOST, 64, 64);
    directory.publish(id, place);
    DirectoryEntry first = view.find(id).orElseThrow();
    assertTrue(view.isCurrent(first));
    directory.erase(id);
    assertFalse(view.isCurrent(first));
    directory.publish(id, place);
    DirectoryEntry second = view.find(id).orElseThrow();
    assertEquals(first.offset(), second.offset(), "the entry is not reused");
    assertFalse(view.isCurrent(first));
    assertTrue(view.isCurrent(second));
  }

  @Test
  void entryStaysCurrentWhileOthersChange(Random random) {
    List<MapOutputId> ids = ids(random, 3_000);
    MapOutputId kept = ids.removeLast();
    directory.publish(kept, new IndexPlace(OutputKind.ROWS, Tier.HOST, 64, 64));
    DirectoryEntry entry = view.find(kept).orElseThrow();
    for (int round = 0; round < 3; round++) {
      ids.forEach(id -> directory.publish(id, place(random)));
      Collections.shuffle(ids, random);
      ids.forEach(directory::erase);
      assertTrue(view.isCurrent(entry));
    }
  }

  @Test
  void doesNotGrowForeverWithLongLivedEntries() {
    int alive = 2_000;
    directory.publish(new MapOutputId(0, 0), new IndexPlace(OutputKind.ROWS, Tier.HOST, 64, 64));
    for (int shuffle = 1; shuffle < 200; shuffle++) {
      for (int map = 0; map < alive; map++) {
        directory.publish(
            new MapOutputId(shuffle, map), new IndexPlace(OutputKind.ROWS, Tier.HOST, 64, 64));
        if (map % 100 == 0) {
          // Never erased.
          directory.publish(
              new MapOutputId(shuffle, -map - 1),
              new IndexPlace(OutputKind.ROWS, Tier.HOST, 64, 64));
        }
      }
      for (int map = 0; map < alive; map++) {
        directory.erase(new MapOutputId(shuffle, map));
      }
    }
    assertTrue(tables() <= 2, () -> tables() + " tables for 6,000 map outputs at a time");
  }

  @Test
  void spreadsMapOutputsOfOneShuffle() {
    for (int map = 0; map < FIRST_TABLE_LIMIT; map++) {
      directory.publish(
          new MapOutputId(5, map), new IndexPlace(OutputKind.ROWS, Tier.HOST, 64, 64));
    }
    assertEquals(1, tables());
    // The number of entries that the search for a missing map output reads, for each home slot.
    long scanned = 0;
    long length = 0;
    int entries = ControlDescriptor.tableEntries(0);
    for (int slot = 2 * entries - 1; slot >= 0; slot--) {
      length = state(0, slot % entries) == DirectoryEntryDescriptor.EMPTY ? 0 : length + 1;
      scanned += slot < entries ? length : 0;
    }
    long average = scanned / entries;
    assertTrue(average < 200, () -> average + " entries on average");
  }

  @Test
  void reportsFullFileSystemAndChangesNothing() {
    FakeBacking backing = new FakeBacking();
    start(backing);
    backing.full = true;
    int count = 0;
    String message = null;
    while (message == null) {
      MapOutputId id = new MapOutputId(1, count);
      try {
        directory.publish(id, new IndexPlace(OutputKind.ROWS, Tier.HOST, 64, 64));
        count++;
      } catch (IllegalStateException e) {
        message = e.getMessage();
      }
    }
    assertEquals(FIRST_TABLE_LIMIT, count);
    assertEquals(
        "no memory for a directory table of 1048576 bytes: the shared-memory file system is full",
        message);
    assertEquals(1, tables());
    assertEquals(backing.reserved, backing.released, "a partial reservation was not released");
    assertEquals(Optional.empty(), view.find(new MapOutputId(1, count)));
    for (int map = 0; map < count; map++) {
      assertTrue(view.find(new MapOutputId(1, map)).isPresent());
    }
    backing.full = false;
    directory.publish(
        new MapOutputId(1, count), new IndexPlace(OutputKind.ROWS, Tier.HOST, 64, 64));
    assertTrue(view.find(new MapOutputId(1, count)).isPresent());
    assertEquals(2, tables());
  }

  @Test
  void growsIntoMemoryThatWasReservedBeforeTheFileSystemWasFull() {
    FakeBacking backing = new FakeBacking();
    start(backing);
    for (int map = 0; map <= FIRST_TABLE_LIMIT; map++) {
      backing.full = map > 3 * FIRST_TABLE_LIMIT / 4;
      directory.publish(
          new MapOutputId(1, map), new IndexPlace(OutputKind.ROWS, Tier.HOST, 64, 64));
    }
    assertEquals(2, tables());
    assertEquals(List.of(), backing.released);
  }

  @Test
  @Tag("long")
  void reportsHowToFixFullDirectory() {
    long most = 0;
    for (int table = 0; table < ControlDescriptor.MAX_TABLES; table++) {
      most += ControlDescriptor.tableEntries(table) / 4 * 3L;
    }
    for (int map = 0; map < most; map++) {
      directory.publish(
          new MapOutputId(1, map), new IndexPlace(OutputKind.ROWS, Tier.HOST, 64, 64));
    }
    String message =
        assertThrows(
                IllegalStateException.class,
                () ->
                    directory.publish(
                        new MapOutputId(2, 0), new IndexPlace(OutputKind.ROWS, Tier.HOST, 64, 64)))
            .getMessage();
    assertEquals(
        "the directory is full: one executor has 1566720 map outputs; free shuffles that are no"
            + " longer needed (unpersist, fewer concurrent queries) or use more executors",
        message);
    assertTrue(view.find(new MapOutputId(1, 0)).isPresent());
    assertTrue(view.find(new MapOutputId(1, most - 1)).isPresent());
    assertEquals(Optional.empty(), view.find(new MapOutputId(2, 0)));
  }

  /** Ids as Spark assigns them (few shuffles, consecutive map tasks), and some random ones. */
  private static List<MapOutputId> ids(Random random, int count) {
    Map<MapOutputId, Boolean> ids = new HashMap<>();
    while (ids.size() < count) {
      ids.put(
          random.nextInt(4) == 0
              ? new MapOutputId(random.nextInt(), random.nextLong())
              : new MapOutputId(random.nextInt(5), random.nextInt(count)),
          true);
    }
    return new ArrayList<>(ids.keySet());
  }

  private static IndexPlace place(Random random) {
    return new IndexPlace(
        random.nextBoolean() ? OutputKind.ROWS : OutputKind.TABLES,
        random.nextBoolean() ? Tier.HOST : Tier.DISK,
        random.nextLong() >>> 2,
        (random.nextLong() >>> 2) + 1);
  }

  private int tables() {
    return window.get(ValueLayout.JAVA_INT, ControlDescriptor.TABLES_OFFSET);
  }

  private int state(int table, int slot) {
    return DirectoryEntryDescriptor.state(
        window.get(
            ValueLayout.JAVA_LONG,
            ControlDescriptor.tableOffset(table) + slot * (long) DirectoryEntryDescriptor.BYTES));
  }

  private int entriesInUse() {
    int inUse = 0;
    for (int table = 0; table < tables(); table++) {
      for (int slot = 0; slot < ControlDescriptor.tableEntries(table); slot++) {
        inUse += state(table, slot) == DirectoryEntryDescriptor.EMPTY ? 0 : 1;
      }
    }
    return inUse;
  }
}
