// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.IndexDescriptor;
import io.symshuffle.shuffle.layout.OutputKind;
import io.symshuffle.shuffle.layout.TableIndexDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Builds a map output of tables, table by table. Used by one task thread. */
public final class TableOutputBuilder extends MapOutputBuilder {
  private final int partitions;
  private final List<TableEntry> tables = new ArrayList<>();

  TableOutputBuilder(MapOutputStore store, OutputStorage storage, MapOutputId id, int partitions) {
    super(store, storage, id);
    this.partitions = partitions;
  }

  /** Lists a table whose data is already stored. */
  public void add(TableEntry table) {
    checkOpen();
    if (table.partition() >= partitions) {
      throw new IllegalArgumentException(
          "partition %d is not less than the number of partitions, %d"
              .formatted(table.partition(), partitions));
    }
    tables.add(table);
  }

  @Override
  OutputKind kind() {
    return OutputKind.TABLES;
  }

  @Override
  boolean isEmpty() {
    return tables.isEmpty();
  }

  @Override
  long indexBytes() {
    return IndexDescriptor.HEADER_BYTES + (long) tables.size() * TableIndexDescriptor.TABLE_BYTES;
  }

  @Override
  void writeIndex(MemorySegment to) {
    IndexHeader.write(to, TableIndexDescriptor.MAGIC, id(), partitions, tables.size());
    // A stable sort keeps the tables of a partition in the order in which they were added.
    List<TableEntry> sorted = new ArrayList<>(tables);
    sorted.sort(Comparator.comparingInt(TableEntry::partition));
    long entry = IndexDescriptor.HEADER_BYTES;
    for (TableEntry table : sorted) {
      to.set(
          ValueLayout.JAVA_INT, entry + TableIndexDescriptor.PARTITION_OFFSET, table.partition());
      to.set(ValueLayout.JAVA_INT, entry + TableIndexDescriptor.TIER_OFFSET, table.tier().code());
      to.set(ValueLayout.JAVA_LONG, entry + TableIndexDescriptor.PLACE_OFFSET, table.place());
      to.set(ValueLayout.JAVA_LONG, entry + TableIndexDescriptor.DATA_BYTES_OFFSET, table.bytes());
      to.set(
          ValueLayout.JAVA_LONG,
          entry + TableIndexDescriptor.PACKED_BYTES_OFFSET,
          table.packedBytes());
      to.set(ValueLayout.JAVA_LONG, entry + TableIndexDescriptor.ROWS_OFFSET, table.rows());
      to.set(ValueLayout.JAVA_INT, entry + TableIndexDescriptor.DATA_CRC_OFFSET, table.checksum());
      to.set(
          ValueLayout.JAVA_INT,
          entry + TableIndexDescriptor.PACKED_CRC_OFFSET,
          table.packedChecksum());
      entry += TableIndexDescriptor.TABLE_BYTES;
    }
    IndexHeader.seal(to);
  }
}
