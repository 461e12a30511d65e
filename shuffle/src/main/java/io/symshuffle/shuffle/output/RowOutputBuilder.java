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
  /** Compression does not pay if a compressed run takes more than this share of its size. */
  private static final double MAX_SHARE = 0.875;

  /** How many runs are not compressed after one whose compression did not pay. */
  private static final int PLAIN_RUNS = 15;

  private final int partitions;
  private final List<Run> runs = new ArrayList<>();

  /** How many of the next runs on disk are not compressed. */
  private int plainRuns;

  /** A run; {@code packedEnds} is null if its blocks are records. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Run(Tier tier, long place, long bytes, BlockTable blocks, int[] packedEnds) {
    int form() {
      return packedEnds == null ? RunIndexDescriptor.RECORDS : RunIndexDescriptor.PACKETS;
    }

    long tableBytes() {
      return RunIndexDescriptor.blockTableBytes(blocks.count(), form());
    }
  }

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
   * Appends a run to the map output's file, compressed if that pays.
   *
   * @throws IOException if it cannot be written; the message names the file and the number of bytes
   */
  void addDiskRun(MemorySegment run, BlockTable blocks) throws IOException {
    Optional<RunPacker> packer = plainRuns > 0 ? Optional.empty() : disk().takePacker();
    if (packer.isEmpty()) {
      plainRuns = Math.max(0, plainRuns - 1);
      add(Tier.DISK, appendToFile(run), run.byteSize(), blocks);
      return;
    }
    try {
      RunPacker.Packed packed = packer.get().write(run, blocks, this::appendToFile);
      addPacked(packed, run.byteSize(), blocks);
      plainRuns = packed.bytes() > run.byteSize() * MAX_SHARE ? PLAIN_RUNS : 0;
    } finally {
      disk().give(packer.get());
    }
  }

  void addPacked(RunPacker.Packed packed, long bytes, BlockTable blocks) {
    checkOpen();
    runs.add(new Run(Tier.DISK, packed.place(), bytes, blocks, packed.ends()));
  }

  void add(Tier tier, long place, long bytes, BlockTable blocks) {
    checkOpen();
    runs.add(new Run(tier, place, bytes, blocks, null));
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
      bytes += run.tableBytes();
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
      short tier = (short) run.tier.code();
      to.set(ValueLayout.JAVA_SHORT, entry + RunIndexDescriptor.RUN_TIER_OFFSET, tier);
      short form = (short) run.form();
      to.set(ValueLayout.JAVA_SHORT, entry + RunIndexDescriptor.RUN_FORM_OFFSET, form);
      to.set(ValueLayout.JAVA_INT, entry + RunIndexDescriptor.RUN_BLOCKS_OFFSET, blocks);
      to.set(ValueLayout.JAVA_LONG, entry + RunIndexDescriptor.RUN_PLACE_OFFSET, run.place);
      to.set(ValueLayout.JAVA_LONG, entry + RunIndexDescriptor.RUN_SIZE_OFFSET, run.bytes);
      to.set(ValueLayout.JAVA_LONG, entry + RunIndexDescriptor.RUN_TABLE_POINTER_OFFSET, table);
      copy(run.blocks.partitions(), blocks, to, table);
      copy(run.blocks.starts(), blocks + 1, to, table + (long) blocks * Integer.BYTES);
      copy(run.blocks.checksums(), blocks, to, table + (2L * blocks + 1) * Integer.BYTES);
      if (run.packedEnds != null) {
        copy(run.packedEnds, blocks, to, table + (3L * blocks + 1) * Integer.BYTES);
      }
      entry += RunIndexDescriptor.RUN_BYTES;
      table += run.tableBytes();
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
