// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.symshuffle.heap.SlabBacking;
import io.symshuffle.shuffle.fixture.InParallel;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.DirectoryEntryDescriptor;
import io.symshuffle.shuffle.layout.MapIdRange;
import io.symshuffle.shuffle.layout.OutputKind;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Any content of another PE's control region results in an answer or a clear exception, without
 * delay.
 */
@ExtendWith(SeededRandom.class)
class ControlViewTest {
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final MapOutputId ID = new MapOutputId(11, 77);
  private static final IndexPlace PLACE = new IndexPlace(OutputKind.ROWS, Tier.HOST, 1 << 20, 4096);

  @AutoClose private final Windows windows = new Windows();
  private MemorySegment window;

  @BeforeEach
  void start() {
    window = windows.add(0);
    ControlView.create(window, List.of(Path.of("/var/disk")));
    new Directory(window, SlabBacking.none()).publish(ID, PLACE);
  }

  @Test
  void storesDiskFolders() {
    assertEquals(List.of(Path.of("/var/disk")), ControlView.open(window).diskFolders());
    MemorySegment fresh = windows.add(0);
    List<Path> several = List.of(Path.of("/disk/1"), Path.of("/disk/2"), Path.of("/disk/3"));
    ControlView.create(fresh, several);
    assertEquals(several, ControlView.open(fresh).diskFolders());
  }

  @Test
  void listsPublishedMapOutputsOfAShuffleInARange() {
    // Enough for a second table.
    Directory directory = new Directory(window, SlabBacking.none());
    List<Long> even = new ArrayList<>();
    for (long mapId = 0; mapId < 20_000; mapId += 2) {
      directory.publish(new MapOutputId(5, mapId), PLACE);
      directory.publish(new MapOutputId(6, mapId + 1), PLACE);
      even.add(mapId);
    }
    directory.erase(new MapOutputId(5, 400));
    ControlView view = ControlView.open(window);
    even.remove(400L);
    assertEquals(even, List.copyOf(view.published(5, new MapIdRange(0, 20_000))));
    assertEquals(
        List.of(398L, 402L, 404L), List.copyOf(view.published(5, new MapIdRange(398, 405))));
    assertEquals(List.of(), List.copyOf(view.published(7, new MapIdRange(0, 20_000))));
  }

  @Test
  void storesPathsUpToTheLimit() {
    Path longest = Path.of("/" + "x".repeat(ControlDescriptor.MAX_DISK_FOLDERS_BYTES - 1));
    MemorySegment fresh = windows.add(0);
    ControlView.create(fresh, List.of(longest));
    assertEquals(longest, ControlView.open(fresh).diskFolders().getFirst());
    assertFalse(ControlView.open(fresh).isLeased(0), "the path overlaps the lease table");
    Path tooLong = longest.resolve("y");
    String message =
        assertThrows(
                IllegalArgumentException.class, () -> ControlView.create(fresh, List.of(tooLong)))
            .getMessage();
    assertEquals(
        "the disk folders' paths have 4062 bytes; the maximum is 4060: [" + tooLong + "]", message);
  }

  @Test
  void rejectsSmallAndEmptyWindows() {
    MemorySegment small = window.asSlice(0, ControlDescriptor.BYTES - 1);
    assertThrows(CorruptControlException.class, () -> ControlView.open(small));
    MemorySegment fresh = windows.add(0);
    assertThrows(CorruptControlException.class, () -> ControlView.open(fresh));
  }

  @Test
  void toleratesEveryDamagedBitOfHeader() {
    long used = ControlDescriptor.DISK_FOLDERS_OFFSET + "/var/disk".length() + 1;
    for (long at = 0; at < used; at++) {
      damageEachBit(at);
    }
  }

  @Test
  void toleratesEveryDamagedBitOfEntry() {
    long entry = ControlView.open(window).find(ID).orElseThrow().offset();
    for (long at = entry; at < entry + DirectoryEntryDescriptor.BYTES; at++) {
      damageEachBit(at);
    }
  }

  private void damageEachBit(long at) {
    byte before = window.get(ValueLayout.JAVA_BYTE, at);
    for (int bit = 0; bit < 8; bit++) {
      window.set(ValueLayout.JAVA_BYTE, at, (byte) (before ^ 1 << bit));
      try {
        Optional<DirectoryEntry> found = ControlView.open(window).find(ID);
        long byteAt = at;
        found.ifPresent(
            entry -> assertEquals(PLACE, entry.place(), () -> "byte %d".formatted(byteAt)));
      } catch (CorruptControlException e) {
        assertFalse(e.getMessage().isBlank());
      }
    }
    window.set(ValueLayout.JAVA_BYTE, at, before);
  }

  @Test
  void searchesFullDirectoryOnce() {
    window.set(ValueLayout.JAVA_INT, ControlDescriptor.TABLES_OFFSET, ControlDescriptor.MAX_TABLES);
    for (int state : new int[] {1, 2, 3}) {
      long end = ControlDescriptor.tableOffset(ControlDescriptor.MAX_TABLES);
      for (long at = ControlDescriptor.DIRECTORY_OFFSET; at < end; at += 64) {
        window.set(ValueLayout.JAVA_LONG, at, state);
      }
      ControlView view = ControlView.open(window);
      assertTimeoutPreemptively(
          LIMIT, () -> assertEquals(Optional.empty(), view.find(new MapOutputId(1, 1))));
    }
  }

  @Test
  void toleratesGarbage(Random random) {
    int rejected = 0;
    long garbage = ControlDescriptor.tableOffset(2);
    for (int round = 0; round < 10; round++) {
      for (long at = ControlDescriptor.LEASES_OFFSET; at < garbage; at += 8) {
        window.set(ValueLayout.JAVA_LONG, at, random.nextLong());
      }
      // Use ids that are looked up; otherwise all entries would be skipped.
      for (long at = ControlDescriptor.DIRECTORY_OFFSET; at < garbage; at += 64) {
        window.set(ValueLayout.JAVA_LONG, at + DirectoryEntryDescriptor.MAP_ID_OFFSET, 77);
        window.set(ValueLayout.JAVA_INT, at + DirectoryEntryDescriptor.SHUFFLE_ID_OFFSET, 11);
      }
      window.set(ValueLayout.JAVA_INT, ControlDescriptor.TABLES_OFFSET, random.nextInt(2) + 1);
      ControlView view = ControlView.open(window);
      view.isLeased(random.nextInt());
      for (int map = 0; map < 100; map++) {
        long mapId = map;
        assertTimeoutPreemptively(
            LIMIT,
            () -> assertEquals(Optional.empty(), view.find(new MapOutputId(11, mapId + 78))));
      }
      try {
        view.find(ID).ifPresent(entry -> fail("found " + entry + " in garbage"));
      } catch (CorruptControlException e) {
        rejected++;
      }
    }
    assertTrue(rejected > 0, "the garbage was never read");
  }

  @Test
  void rejectsInvalidNumberOfTables() {
    ControlView view = ControlView.open(window);
    for (int tables : new int[] {-1, 9, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      window.set(ValueLayout.JAVA_INT, ControlDescriptor.TABLES_OFFSET, tables);
      assertEquals(
          "invalid number of directory tables: %d".formatted(tables),
          assertThrows(CorruptControlException.class, () -> view.find(ID)).getMessage());
    }
  }

  @Test
  void givesUpOnEntryThatKeepsChanging() throws Exception {
    ControlView view = ControlView.open(window);
    long entry = view.find(ID).orElseThrow().offset();
    InParallel.run(
        stop -> {
          for (int i = 0; i < 20_000; i++) {
            try {
              view.find(ID).ifPresent(found -> assertEquals(PLACE, found.place()));
            } catch (CorruptControlException e) {
              assertTrue(e.getMessage().endsWith("keeps changing"), e.getMessage());
            }
          }
        },
        stop -> {
          long word = ControlFields.getLongVolatile(window, entry);
          while (!stop.get()) {
            word += 4;
            ControlFields.putLongVolatile(window, entry, word);
          }
        });
  }
}
