// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** Pins the layouts, since other processes and builds on other hosts read these bytes. */
class LayoutsTest {
  @Test
  void controlRegionIsPinned() {
    assertEquals("SYMCTRL1", ascii(ControlDescriptor.MAGIC, Long.BYTES));
    assertEquals(3, ControlDescriptor.VERSION);
    assertEquals(0, ControlDescriptor.MAGIC_OFFSET);
    assertEquals(8, ControlDescriptor.VERSION_OFFSET);
    assertEquals(12, ControlDescriptor.TABLES_OFFSET);
    assertEquals(16, ControlDescriptor.ARENA_OFFSET_OFFSET);
    assertEquals(24, ControlDescriptor.ARENA_BYTES_OFFSET);
    assertEquals(32, ControlDescriptor.DISK_FOLDERS_LENGTH_OFFSET);
    assertEquals(36, ControlDescriptor.DISK_FOLDERS_OFFSET);
    assertEquals(4060, ControlDescriptor.MAX_DISK_FOLDERS_BYTES);
    assertEquals(4096, ControlDescriptor.LEASES_OFFSET);
    assertEquals(4096, ControlDescriptor.LEASE_SLOTS);
    assertEquals(65536, ControlDescriptor.DIRECTORY_OFFSET);
    assertEquals(8192, ControlDescriptor.FIRST_TABLE_ENTRIES);
    assertEquals(8, ControlDescriptor.MAX_TABLES);
    assertEquals(134_217_728, ControlDescriptor.BYTES);
  }

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
  void directoryEntryIsPinned() {
    assertEquals(64, DirectoryEntryDescriptor.BYTES);
    assertEquals(0, DirectoryEntryDescriptor.STATE_OFFSET);
    assertEquals(8, DirectoryEntryDescriptor.MAP_ID_OFFSET);
    assertEquals(16, DirectoryEntryDescriptor.SHUFFLE_ID_OFFSET);
    assertEquals(20, DirectoryEntryDescriptor.TIER_OFFSET);
    assertEquals(21, DirectoryEntryDescriptor.KIND_OFFSET);
    assertEquals(24, DirectoryEntryDescriptor.INDEX_OFFSET_OFFSET);
    assertEquals(32, DirectoryEntryDescriptor.INDEX_BYTES_OFFSET);
    assertEquals(40, DirectoryEntryDescriptor.CRC_OFFSET);
    assertEquals(0, DirectoryEntryDescriptor.EMPTY);
    assertEquals(1, DirectoryEntryDescriptor.BUSY);
    assertEquals(2, DirectoryEntryDescriptor.PUBLISHED);
    assertEquals(3, DirectoryEntryDescriptor.ERASED);
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
  void outputKindsArePinned() {
    assertEquals(1, OutputKind.ROWS.code());
    assertEquals(2, OutputKind.TABLES.code());
    for (OutputKind kind : OutputKind.values()) {
      assertEquals(kind, OutputKind.ofCode(kind.code()));
    }
    assertThrows(IllegalArgumentException.class, () -> OutputKind.ofCode(0));
  }

  @Test
  void runIndexIsPinned() {
    assertEquals("SYMI", ascii(RunIndexDescriptor.MAGIC, Integer.BYTES));
    assertEquals(0, IndexDescriptor.MAGIC_OFFSET);
    assertEquals(4, IndexDescriptor.CRC_OFFSET);
    assertEquals(8, IndexDescriptor.VERSION_OFFSET);
    assertEquals(12, IndexDescriptor.SHUFFLE_ID_OFFSET);
    assertEquals(16, IndexDescriptor.MAP_ID_OFFSET);
    assertEquals(24, IndexDescriptor.PARTITIONS_OFFSET);
    assertEquals(28, IndexDescriptor.ENTRIES_OFFSET);
    assertEquals(32, IndexDescriptor.BYTES_OFFSET);
    assertEquals(40, IndexDescriptor.HEADER_BYTES);
    assertEquals(32, RunIndexDescriptor.RUN_BYTES);
    assertEquals(0, RunIndexDescriptor.RUN_TIER_OFFSET);
    assertEquals(2, RunIndexDescriptor.RUN_FORM_OFFSET);
    assertEquals(0, RunIndexDescriptor.RECORDS);
    assertEquals(1, RunIndexDescriptor.PACKETS);
    assertEquals(4, RunIndexDescriptor.RUN_BLOCKS_OFFSET);
    assertEquals(8, RunIndexDescriptor.RUN_PLACE_OFFSET);
    assertEquals(16, RunIndexDescriptor.RUN_SIZE_OFFSET);
    assertEquals(24, RunIndexDescriptor.RUN_TABLE_POINTER_OFFSET);
    assertEquals(8, RunIndexDescriptor.START_UNIT);
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
  void frameIsPinned() {
    assertEquals("SYMF", ascii(FrameDescriptor.MAGIC, Integer.BYTES));
    assertEquals(0, FrameDescriptor.MAGIC_OFFSET);
    assertEquals(4, FrameDescriptor.PARTITION_OFFSET);
    assertEquals(8, FrameDescriptor.BYTES_OFFSET);
    assertEquals(16, FrameDescriptor.CRC_OFFSET);
    assertEquals(20, FrameDescriptor.FOLLOWING_OFFSET);
    assertEquals(24, FrameDescriptor.HEADER_BYTES);
  }

  @Test
  void packetIsPinned() {
    assertEquals("SYC1", ascii(PacketDescriptor.MAGIC, Integer.BYTES));
    assertEquals(0, PacketDescriptor.MAGIC_OFFSET);
    assertEquals(4, PacketDescriptor.CODEC_OFFSET);
    assertEquals(5, PacketDescriptor.LAYOUT_OFFSET);
    assertEquals(6, PacketDescriptor.WORDS_OFFSET);
    assertEquals(8, PacketDescriptor.DATA_BYTES_OFFSET);
    assertEquals(12, PacketDescriptor.BODY_BYTES_OFFSET);
    assertEquals(16, PacketDescriptor.RECORDS_OFFSET);
    assertEquals(20, PacketDescriptor.FRAMES_OFFSET);
    assertEquals(24, PacketDescriptor.PARTITION_OFFSET);
    assertEquals(28, PacketDescriptor.HEADER_BYTES);
    assertEquals(1 << 20, PacketDescriptor.MAX_DATA_BYTES);
    assertEquals(28, PacketDescriptor.FRAME_BYTES);
    assertEquals(0, PacketDescriptor.OPAQUE);
    assertEquals(1, PacketDescriptor.EQUAL_LENGTHS);
    assertEquals(2, PacketDescriptor.DIFFERENT_LENGTHS);
    assertEquals(3, PacketDescriptor.OPAQUE_WORDS);
  }

  @Test
  void recordIsPinned() {
    assertEquals(0, RecordDescriptor.LENGTH_OFFSET);
    assertEquals(4, RecordDescriptor.PARTITION_OFFSET);
    assertEquals(8, RecordDescriptor.HEADER_BYTES);
    assertEquals(8, RecordDescriptor.sizeOf(0));
    assertEquals(16, RecordDescriptor.sizeOf(1));
    assertEquals(16, RecordDescriptor.sizeOf(8));
    assertEquals(24, RecordDescriptor.sizeOf(9));
  }

  @Test
  void longestRecordFitsIntoJavaArray() {
    assertEquals(Integer.MAX_VALUE - 55, RecordDescriptor.sizeOf(RecordDescriptor.MAX_LENGTH));
  }

  @Test
  void tierCodesArePinned() {
    assertEquals(0, Tier.HOST.code());
    assertEquals(1, Tier.DISK.code());
    assertEquals(2, Tier.DEVICE.code());
    for (Tier tier : Tier.values()) {
      assertEquals(tier, Tier.ofCode(tier.code()));
    }
    assertThrows(IllegalArgumentException.class, () -> Tier.ofCode(3));
    assertThrows(IllegalArgumentException.class, () -> Tier.ofCode(-1));
  }

  private static String ascii(long littleEndian, int bytes) {
    byte[] all =
        ByteBuffer.allocate(Long.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(littleEndian)
            .array();
    return new String(all, 0, bytes, US_ASCII);
  }
}
