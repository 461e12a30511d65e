// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.IndexDescriptor;
import io.symshuffle.shuffle.layout.OutputKind;
import io.symshuffle.shuffle.layout.RunIndexDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Builds a map output of records, run by run. Used by one task thread. */
public final class RowOutputBuilder extends MapOutputBuilder {
  private final int partitions;
  private final List<Run> runs = new ArrayList<>();

  private record Run(Tier tier, long place, long bytes, BlockTable blocks) {}

  RowOutputBuilder(MapOutputStore store, OutputStorage storage, MapOutputId id, int partitions) {
    super(store, storage, id);
    this.partitions = partitions;
  }

  /**
   * Copies a run into the host heap, or appends it to the map output's file if that heap is full.
   *
   * @return the tier in which it is stored
   * @throws IOException if heap and disk are full
   */
  public Tier addRun(MemorySegment run, BlockTable blocks) throws IOException {
    if (addHostRun(run, blocks)) {
      return Tier.HOST;
    }
    addDiskRun(run, blocks);
    return Tier.DISK;
  }

  /**
   * Copies a run into the host heap.
   *
   * @return false, without adding it, if the heap is full
   * @throws IOException if it cannot be written
   */
  boolean addHostRun(MemorySegment run, BlockTable blocks) throws IOException {
    Optional<MemorySegment> memory = allocateHost(run.byteSize());
    if (memory.isEmpty()) {
      return false;
    }
    write(run, memory.get());
    add(Tier.HOST, hostOffset(memory.get()), run.byteSize(), blocks);
    return true;
  }

  /**
   * Appends a run to the map output's file.
   *
   * @throws IOException if it cannot be written; the message names the file and the number of bytes
   */
  void addDiskRun(MemorySegment run, BlockTable blocks) throws IOException {
    add(Tier.DISK, appendToFile(run), run.byteSize(), blocks);
  }

  void add(Tier tier, long place, long bytes, BlockTable blocks) {
    checkOpen();
    runs.add(new Run(tier, place, bytes, blocks));
  }

  @Override
  OutputKind kind() {
    return OutputKind.ROWS;
  }

  @Override
  boolean isEmpty() {
    return runs.isEmpty();
  }

  @Override
  long indexBytes() {
    long bytes = firstBlockTable();
    for (Run run : runs) {
      bytes += RunIndexDescriptor.blockTableBytes(run.blocks.count());
    }
    return bytes;
  }

  @Override
  void writeIndex(MemorySegment to) {
    IndexHeader.write(to, RunIndexDescriptor.MAGIC, id(), partitions, runs.size());
    long entry = IndexDescriptor.HEADER_BYTES;
    long table = firstBlockTable();
    for (Run run : runs) {
      int blocks = run.blocks.count();
      to.set(ValueLayout.JAVA_INT, entry + RunIndexDescriptor.RUN_TIER_OFFSET, run.tier.code());
      to.set(ValueLayout.JAVA_INT, entry + RunIndexDescriptor.RUN_BLOCKS_OFFSET, blocks);
      to.set(ValueLayout.JAVA_LONG, entry + RunIndexDescriptor.RUN_PLACE_OFFSET, run.place);
      to.set(ValueLayout.JAVA_LONG, entry + RunIndexDescriptor.RUN_SIZE_OFFSET, run.bytes);
      to.set(ValueLayout.JAVA_LONG, entry + RunIndexDescriptor.RUN_TABLE_POINTER_OFFSET, table);
      copy(run.blocks.partitions(), blocks, to, table);
      copy(run.blocks.starts(), blocks + 1, to, table + (long) blocks * Integer.BYTES);
      copy(run.blocks.checksums(), blocks, to, table + (2L * blocks + 1) * Integer.BYTES);
      entry += RunIndexDescriptor.RUN_BYTES;
      table += RunIndexDescriptor.blockTableBytes(blocks);
    }
    IndexHeader.seal(to);
  }

  private long firstBlockTable() {
    return IndexDescriptor.HEADER_BYTES + (long) runs.size() * RunIndexDescriptor.RUN_BYTES;
  }

  private static void copy(int[] from, int count, MemorySegment to, long offset) {
    MemorySegment.copy(from, 0, to, ValueLayout.JAVA_INT, offset, count);
  }
}
