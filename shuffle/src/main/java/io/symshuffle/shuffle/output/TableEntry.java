// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.kernel.PackedTables;
import io.symshuffle.shuffle.layout.Tier;

/**
 * One serialized table of a map output, as listed in its index.
 *
 * @param place offset in the owner's window of that tier, or in the map output's file
 * @param bytes size of the data; 0 for a table without columns
 * @param packedBytes size of the data as it is stored, if a GPU has packed it ({@link
 *     PackedTables}); 0 if not
 * @param rows number of rows, at least 1
 * @param checksum CRC32C of the data, not packed, 0 if not computed
 * @param packedChecksum CRC32C of the packed data, 0 if not packed or not computed
 */
public record TableEntry(
    int partition,
    Tier tier,
    long place,
    long bytes,
    long packedBytes,
    long rows,
    int checksum,
    int packedChecksum) {
  public TableEntry {
    if (partition < 0 || place < 0 || bytes < 0 || rows < 1 || place > Long.MAX_VALUE - bytes) {
      throw new IllegalArgumentException(
          "invalid table: %d rows and %d bytes at %d for partition %d"
              .formatted(rows, bytes, place, partition));
    }
    if (packedBytes != 0 && !PackedTables.canBe(bytes, packedBytes)) {
      throw new IllegalArgumentException(
          "invalid table: %d bytes that are packed into %d".formatted(bytes, packedBytes));
    }
  }

  /** A table that is not packed. */
  public TableEntry(int partition, Tier tier, long place, long bytes, long rows, int checksum) {
    this(partition, tier, place, bytes, 0, rows, checksum, 0);
  }

  /** The same table at another place. */
  public TableEntry at(Tier otherTier, long otherPlace) {
    return new TableEntry(
        partition, otherTier, otherPlace, bytes, packedBytes, rows, checksum, packedChecksum);
  }

  /** The same table, packed into so many bytes, 0 for not packed, at another place. */
  public TableEntry packed(Tier otherTier, long otherPlace, long toBytes, int crc) {
    return new TableEntry(partition, otherTier, otherPlace, bytes, toBytes, rows, checksum, crc);
  }

  /** Whether the data is packed. */
  public boolean isPacked() {
    return packedBytes > 0;
  }

  /** Size of the data at its place. */
  public long storedBytes() {
    return isPacked() ? packedBytes : bytes;
  }

  /** CRC32C of the data at its place, 0 if not computed. */
  public int storedChecksum() {
    return isPacked() ? packedChecksum : checksum;
  }
}
