// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.TableIndexDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects the tables of a map output and lays them out as its index. Not thread-safe. */
final class TableIndexBuilder implements IndexBuilder {
  private final MapOutputId id;
  private final int partitions;
  private final List<TableEntry> tables = new ArrayList<>();
  private long metadataBytes;

  TableIndexBuilder(MapOutputId id, int partitions) {
    this.id = requireNonNull(id, "id is null");
    this.partitions = partitions;
  }

  /** Adds a table; its metadata must live until {@link #writeTo}. */
  void add(TableEntry table) {
    if (table.partition() >= partitions) {
      throw new IllegalArgumentException(
          "partition %d of %d".formatted(table.partition(), partitions));
    }
    tables.add(table);
    metadataBytes += TableIndexDescriptor.padded(table.metadata().byteSize());
  }

  @Override
  public boolean isEmpty() {
    return tables.isEmpty();
  }

  @Override
  public long bytes() {
    return TableIndexDescriptor.TABLE_OFFSET
        + (long) tables.size() * TableIndexDescriptor.TABLE_BYTES
        + metadataBytes;
  }

  @Override
  public void writeTo(MemorySegment to) {
    long bytes = bytes();
    to.asSlice(0, bytes).fill((byte) 0);
    to.set(ValueLayout.JAVA_INT, TableIndexDescriptor.MAGIC_OFFSET, TableIndexDescriptor.MAGIC);
    to.set(ValueLayout.JAVA_INT, TableIndexDescriptor.VERSION_OFFSET, ControlDescriptor.VERSION);
    to.set(ValueLayout.JAVA_INT, TableIndexDescriptor.SHUFFLE_ID_OFFSET, id.shuffleId());
    to.set(ValueLayout.JAVA_LONG, TableIndexDescriptor.MAP_ID_OFFSET, id.mapId());
    to.set(ValueLayout.JAVA_INT, TableIndexDescriptor.PARTITIONS_OFFSET, partitions);
    to.set(ValueLayout.JAVA_INT, TableIndexDescriptor.TABLES_OFFSET, tables.size());
    to.set(ValueLayout.JAVA_LONG, TableIndexDescriptor.BYTES_OFFSET, bytes);
    // Stable: tables of one partition stay in the order in which their rows came.
    List<TableEntry> sorted = new ArrayList<>(tables);
    sorted.sort(Comparator.comparingInt(TableEntry::partition));
    long entry = TableIndexDescriptor.TABLE_OFFSET;
    long metadata = entry + (long) sorted.size() * TableIndexDescriptor.TABLE_BYTES;
    for (TableEntry table : sorted) {
      long length = table.metadata().byteSize();
      to.set(ValueLayout.JAVA_INT, entry + TableIndexDescriptor.PARTITION, table.partition());
      to.set(ValueLayout.JAVA_INT, entry + TableIndexDescriptor.TIER, table.tier().code());
      to.set(ValueLayout.JAVA_LONG, entry + TableIndexDescriptor.PLACE, table.place());
      to.set(ValueLayout.JAVA_LONG, entry + TableIndexDescriptor.DATA_BYTES, table.bytes());
      to.set(ValueLayout.JAVA_LONG, entry + TableIndexDescriptor.ROWS, table.rows());
      to.set(ValueLayout.JAVA_LONG, entry + TableIndexDescriptor.METADATA_OFFSET, metadata);
      to.set(ValueLayout.JAVA_INT, entry + TableIndexDescriptor.METADATA_BYTES, (int) length);
      to.set(ValueLayout.JAVA_INT, entry + TableIndexDescriptor.DATA_CRC, table.checksum());
      MemorySegment.copy(table.metadata(), 0, to, metadata, length);
      entry += TableIndexDescriptor.TABLE_BYTES;
      metadata += TableIndexDescriptor.padded(length);
    }
    to.set(
        ValueLayout.JAVA_INT, TableIndexDescriptor.CRC_OFFSET, MapIndexBuilder.checksum(to, bytes));
  }
}
