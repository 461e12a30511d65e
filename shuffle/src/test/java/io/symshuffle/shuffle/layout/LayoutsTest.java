// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The parts of the layouts have room for each other. */
class LayoutsTest {
  @Test
  void partsOfControlRegionDoNotOverlap() {
    assertTrue(
        ControlDescriptor.DISK_FOLDERS_OFFSET + ControlDescriptor.MAX_DISK_FOLDERS_BYTES
            <= ControlDescriptor.LEASES_OFFSET);
    assertTrue(
        ControlDescriptor.LEASES_OFFSET + (long) ControlDescriptor.LEASE_SLOTS * Long.BYTES
            <= ControlDescriptor.DIRECTORY_OFFSET);
    long end = ControlDescriptor.DIRECTORY_OFFSET;
    for (int table = 0; table < ControlDescriptor.MAX_TABLES; table++) {
      assertEquals(8192 << table, ControlDescriptor.tableEntries(table));
      assertEquals(end, ControlDescriptor.tableOffset(table));
      end += ControlDescriptor.tableEntries(table) * 64L;
    }
    assertTrue(end <= ControlDescriptor.BYTES);
    assertEquals(0, ControlDescriptor.BYTES % (2 << 20));
  }

  @Test
  void stateWordsNeverRepeat() {
    long word = 0;
    for (int state : new int[] {1, 3, 1, 0, 1, 3}) {
      long next = DirectoryEntryDescriptor.next(word, state);
      assertEquals(state, DirectoryEntryDescriptor.state(next));
      assertEquals((word >>> 2) + 1, next >>> 2);
      word = DirectoryEntryDescriptor.with(next, DirectoryEntryDescriptor.PUBLISHED);
      assertEquals(DirectoryEntryDescriptor.PUBLISHED, DirectoryEntryDescriptor.state(word));
      assertEquals(next >>> 2, word >>> 2);
    }
  }

  @Test
  void homeSlotsAreInsideTable() {
    long[] mapIds = {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 32, 12_345};
    int[] shuffleIds = {0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE};
    for (int table = 0; table < ControlDescriptor.MAX_TABLES; table++) {
      int entries = ControlDescriptor.tableEntries(table);
      for (long mapId : mapIds) {
        for (int shuffleId : shuffleIds) {
          int home = DirectoryEntryDescriptor.homeSlot(shuffleId, mapId, entries);
          assertTrue(home >= 0 && home < entries, () -> home + " of " + entries);
        }
      }
    }
  }

  @Test
  void blockTablesAreMultiplesOfEightBytes() {
    assertEquals(16, RunIndexDescriptor.blockTableBytes(1, RunIndexDescriptor.RECORDS));
    assertEquals(32, RunIndexDescriptor.blockTableBytes(2, RunIndexDescriptor.RECORDS));
    assertEquals(40, RunIndexDescriptor.blockTableBytes(3, RunIndexDescriptor.RECORDS));
    assertEquals(24, RunIndexDescriptor.blockTableBytes(1, RunIndexDescriptor.PACKETS));
    assertEquals(
        3L * 4 * Integer.MAX_VALUE + 4,
        RunIndexDescriptor.blockTableBytes(Integer.MAX_VALUE, RunIndexDescriptor.RECORDS));
  }

  @Test
  void longestRecordFitsIntoJavaArray() {
    assertEquals(Integer.MAX_VALUE - 55, RecordDescriptor.sizeOf(RecordDescriptor.MAX_LENGTH));
  }
}
