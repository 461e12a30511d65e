// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.MapIndexDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Collects the runs of a map output and lays them out as its index. Not thread-safe. */
final class MapIndexBuilder implements IndexBuilder {
  private final MapOutputId id;
  private final int partitions;
  private final List<Run> runs = new ArrayList<>();

  private record Run(Tier tier, long place, long bytes, BlockTable blocks) {}

  MapIndexBuilder(MapOutputId id, int partitions) {
    this.id = requireNonNull(id, "id is null");
    this.partitions = partitions;
  }

  void add(Tier tier, long place, long bytes, BlockTable blocks) {
    runs.add(new Run(tier, place, bytes, blocks));
  }

  @Override
  public boolean isEmpty() {
    return runs.isEmpty();
  }

  @Override
  public long bytes() {
    long bytes =
        MapIndexDescriptor.RUN_TABLE_OFFSET + (long) runs.size() * MapIndexDescriptor.RUN_BYTES;
    for (Run run : runs) {
      bytes += MapIndexDescriptor.blockTableBytes(run.blocks.count());
    }
    return bytes;
  }

  @Override
  public void writeTo(MemorySegment to) {
    long bytes = bytes();
    to.asSlice(0, bytes).fill((byte) 0);
    to.set(ValueLayout.JAVA_INT, MapIndexDescriptor.MAGIC_OFFSET, MapIndexDescriptor.MAGIC);
    to.set(ValueLayout.JAVA_INT, MapIndexDescriptor.VERSION_OFFSET, ControlDescriptor.VERSION);
    to.set(ValueLayout.JAVA_INT, MapIndexDescriptor.SHUFFLE_ID_OFFSET, id.shuffleId());
    to.set(ValueLayout.JAVA_INT, MapIndexDescriptor.PARTITIONS_OFFSET, partitions);
    to.set(ValueLayout.JAVA_LONG, MapIndexDescriptor.MAP_ID_OFFSET, id.mapId());
    to.set(ValueLayout.JAVA_INT, MapIndexDescriptor.RUNS_OFFSET, runs.size());
    to.set(ValueLayout.JAVA_LONG, MapIndexDescriptor.BYTES_OFFSET, bytes);
    long entry = MapIndexDescriptor.RUN_TABLE_OFFSET;
    long table = entry + (long) runs.size() * MapIndexDescriptor.RUN_BYTES;
    for (Run run : runs) {
      int blocks = run.blocks.count();
      to.set(ValueLayout.JAVA_INT, entry + MapIndexDescriptor.RUN_TIER_OFFSET, run.tier.code());
      to.set(ValueLayout.JAVA_INT, entry + MapIndexDescriptor.RUN_BLOCKS_OFFSET, blocks);
      to.set(ValueLayout.JAVA_LONG, entry + MapIndexDescriptor.RUN_PLACE_OFFSET, run.place);
      to.set(ValueLayout.JAVA_LONG, entry + MapIndexDescriptor.RUN_SIZE_OFFSET, run.bytes);
      to.set(ValueLayout.JAVA_LONG, entry + MapIndexDescriptor.RUN_TABLE_POINTER_OFFSET, table);
      copy(run.blocks.partitions(), blocks, to, table);
      copy(run.blocks.starts(), blocks + 1, to, table + (long) blocks * Integer.BYTES);
      copy(run.blocks.checksums(), blocks, to, table + (2L * blocks + 1) * Integer.BYTES);
      entry += MapIndexDescriptor.RUN_BYTES;
      table += MapIndexDescriptor.blockTableBytes(blocks);
    }
    to.set(ValueLayout.JAVA_INT, MapIndexDescriptor.CRC_OFFSET, checksum(to, bytes));
  }

  /** The checksum over what follows the checksum's own field. */
  static int checksum(MemorySegment index, long bytes) {
    long start = MapIndexDescriptor.CRC_OFFSET + Integer.BYTES;
    return Crc32c.of(index, start, bytes - start);
  }

  private static void copy(int[] from, int count, MemorySegment to, long offset) {
    MemorySegment.copy(from, 0, to, ValueLayout.JAVA_INT, offset, count);
  }
}
