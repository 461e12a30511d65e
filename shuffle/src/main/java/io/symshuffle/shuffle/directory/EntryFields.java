// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import io.symshuffle.shuffle.layout.DirectoryEntryDescriptor;
import io.symshuffle.shuffle.layout.OutputKind;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.MemorySegment;

/**
 * The unchecked fields of a directory entry.
 *
 * @param crc the checksum in the entry
 * @param computedCrc the checksum computed from the entry's fields
 */
record EntryFields(int kind, int tier, long offset, long bytes, int crc, int computedCrc) {

  static EntryFields load(MemorySegment window, long entry) {
    return new EntryFields(
        ControlFields.getByte(window, entry + DirectoryEntryDescriptor.KIND_OFFSET),
        ControlFields.getByte(window, entry + DirectoryEntryDescriptor.TIER_OFFSET),
        ControlFields.getLong(window, entry + DirectoryEntryDescriptor.INDEX_OFFSET_OFFSET),
        ControlFields.getLong(window, entry + DirectoryEntryDescriptor.INDEX_BYTES_OFFSET),
        ControlFields.getInt(window, entry + DirectoryEntryDescriptor.CRC_OFFSET),
        ControlFields.entryCrc(window, entry));
  }

  /**
   * Checks the fields and returns the place that they describe.
   *
   * @param id the map output that the entry belongs to
   * @throws CorruptControlException if the checksum is wrong, or the fields do not describe a valid
   *     place
   */
  IndexPlace place(MapOutputId id) {
    if (crc != computedCrc) {
      throw new CorruptControlException(
          "directory entry of %s has checksum %08x instead of %08x"
              .formatted(id, crc, computedCrc));
    }
    try {
      return new IndexPlace(OutputKind.ofCode(kind), Tier.ofCode(tier), offset, bytes);
    } catch (IllegalArgumentException e) {
      throw new CorruptControlException("directory entry of " + id + ": " + e.getMessage());
    }
  }
}
