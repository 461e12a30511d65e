// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.IndexDescriptor;
import io.symshuffle.shuffle.layout.RunIndexDescriptor;
import io.symshuffle.shuffle.layout.TableIndexDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A fuzz target: the index of a map output of records or tables. The first byte selects which, and
 * whether fields that a fuzzer cannot guess (magic, version, ids, size, checksum) are corrected.
 */
public final class IndexFuzz {
  private static final MapOutputId ID = new MapOutputId(21, 1L << 40);
  private static final int TABLES = 1;
  private static final int SIGNED = 2;
  private static final int MAX_ENTRIES = 300;

  private IndexFuzz() {}

  /**
   * Called by the fuzzer: any bytes must result in consistent numbers or a {@link
   * CorruptIndexException}.
   */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length == 0) {
      return;
    }
    boolean tables = (input[0] & TABLES) != 0;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment index = arena.allocate(input.length - 1, Long.BYTES);
      MemorySegment.copy(input, 1, index, ValueLayout.JAVA_BYTE, 0, input.length - 1);
      if ((input[0] & SIGNED) != 0 && index.byteSize() >= IndexDescriptor.HEADER_BYTES) {
        sign(index, tables);
      }
      if (tables) {
        readTables(index);
      } else {
        readRuns(index);
      }
    } catch (CorruptIndexException e) {
      if (e.getMessage().isBlank()) {
        throw new AssertionError("an exception without a message", e);
      }
    }
  }

  private static void readRuns(MemorySegment bytes) {
    RunIndex index = RunIndex.open(ID, bytes);
    for (int run = 0; run < Math.min(MAX_ENTRIES, index.runs()); run++) {
      RunView view = index.run(run);
      int first = view.firstBlock(run);
      require(first >= 0 && first <= view.blocks(), "first block");
      for (int block = 0; block < Math.min(MAX_ENTRIES, view.blocks()); block++) {
        view.partition(block);
        view.checksum(block);
        long start = view.start(block);
        long size = view.size(block);
        require(start >= 0 && size > 0 && start + size <= view.bytes(), "block in its run");
        require(view.place() + start + size > 0, "end of the block");
        long stored = view.storedBytes(block);
        require(stored > 0 && view.storedPlace(block) + stored > 0, "end of the stored block");
      }
    }
  }

  private static void readTables(MemorySegment bytes) {
    TableIndex index = TableIndex.open(ID, bytes);
    for (int table = 0; table < Math.min(MAX_ENTRIES, index.tables()); table++) {
      int first = index.first(table);
      require(first >= 0 && first <= index.tables(), "first table");
      TableEntry entry = index.table(table);
      require(entry.place() >= 0 && entry.bytes() >= 0 && entry.rows() >= 0, "a table's numbers");
      require(entry.place() + entry.bytes() >= 0, "end of the table");
    }
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  private static void sign(MemorySegment index, boolean tables) {
    index.set(
        ValueLayout.JAVA_INT,
        IndexDescriptor.MAGIC_OFFSET,
        tables ? TableIndexDescriptor.MAGIC : RunIndexDescriptor.MAGIC);
    index.set(ValueLayout.JAVA_INT, IndexDescriptor.VERSION_OFFSET, ControlDescriptor.VERSION);
    index.set(ValueLayout.JAVA_INT, IndexDescriptor.SHUFFLE_ID_OFFSET, ID.shuffleId());
    index.set(ValueLayout.JAVA_LONG, IndexDescriptor.MAP_ID_OFFSET, ID.mapId());
    index.set(ValueLayout.JAVA_LONG, IndexDescriptor.BYTES_OFFSET, index.byteSize());
    IndexHeader.seal(index);
  }

  /** Valid indexes. */
  public static List<byte[]> seeds() throws IOException {
    List<byte[]> seeds = new ArrayList<>();
    for (int runs = 0; runs < 4; runs++) {
      RowOutputBuilder builder = Indexes.builder(ID, 50);
      for (int run = 0; run < runs; run++) {
        BlockTable blocks =
            new BlockTable(3, new int[] {1, 2, 40}, new int[] {0, 2, 5, 6}, new int[] {7, 8, 9});
        if (run == 2) {
          builder.addPacked(new RunPacker.Packed(8192, new int[] {30, 71, 100}), 48, blocks);
        } else {
          builder.add(run == 0 ? Tier.HOST : Tier.DISK, 4096L * run, 48, blocks);
        }
      }
      byte[] index = Indexes.index(builder).toArray(ValueLayout.JAVA_BYTE);
      seeds.add(withFirstByte(SIGNED, index));
      seeds.add(withFirstByte(0, index));
    }
    byte[] zeros = new byte[IndexDescriptor.HEADER_BYTES + 200];
    seeds.add(withFirstByte(TABLES | SIGNED, zeros));
    new Random(1).nextBytes(zeros);
    seeds.add(withFirstByte(TABLES | SIGNED, zeros));
    return seeds;
  }

  private static byte[] withFirstByte(int first, byte[] bytes) {
    byte[] all = new byte[bytes.length + 1];
    all[0] = (byte) first;
    System.arraycopy(bytes, 0, all, 1, bytes.length);
    return all;
  }
}
