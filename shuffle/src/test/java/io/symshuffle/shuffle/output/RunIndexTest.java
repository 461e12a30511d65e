// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.IndexDescriptor;
import io.symshuffle.shuffle.layout.RunIndexDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SeededRandom.class)
class RunIndexTest {
  private static final MapOutputId ID = new MapOutputId(21, 1L << 40);

  /** An expected run. */
  private record Run(Tier tier, long place, long bytes, List<Block> blocks) {}

  private record Block(int partition, long start, long size, int checksum) {}

  @Test
  void readsWhatWasWritten(Random random) {
    for (int round = 0; round < 200; round++) {
      List<Run> runs = runs(random, random.nextInt(6), 1 + random.nextInt(200));
      RunIndex index = RunIndex.open(ID, write(runs));
      assertEquals(ID, index.id());
      assertEquals(runs, read(index));
    }
  }

  /**
   * A map output of 10,000 partitions and 128 MiB: runs of 4 MiB, with a block of 400 bytes per
   * partition.
   */
  @Test
  void takesTwelveBytesPerBlockAndFindsEveryBlock() {
    int partitions = 10_000;
    List<Run> runs = new ArrayList<>();
    for (int r = 0; r < 32; r++) {
      List<Block> blocks = new ArrayList<>();
      for (int p = 0; p < partitions; p++) {
        blocks.add(new Block(p, 400L * p, 400, p ^ r));
      }
      runs.add(new Run(Tier.HOST, (long) r << 22, 400L * partitions, blocks));
    }
    MemorySegment memory = write(runs);
    long entries = 32L * partitions;
    assertEquals(12, memory.byteSize() / entries);
    RunIndex index = RunIndex.open(ID, memory);
    for (int r = 0; r < 32; r++) {
      RunView run = index.run(r);
      for (int p = 0; p < partitions; p++) {
        int block = run.firstBlock(p);
        assertEquals(p, run.partition(block));
        assertEquals(block + 1, run.firstBlock(p + 1));
        assertEquals(p ^ r, run.checksum(block));
      }
    }
  }

  @Test
  void readsStartsAsUnsigned() {
    // 8-byte units up to 2^32: a run of nearly 32 GiB.
    long unit = RunIndexDescriptor.START_UNIT;
    long bytes = 0xFFFF_FFFFL * unit;
    List<Run> runs =
        List.of(
            new Run(
                Tier.DISK,
                1L << 60,
                bytes,
                List.of(
                    new Block(0, 0, 0x7FFF_FFFFL * unit, 1),
                    new Block(7, 0x7FFF_FFFFL * unit, 2 * unit, 2),
                    new Block(9, 0x8000_0001L * unit, bytes - 0x8000_0001L * unit, 3))));
    assertEquals(runs, read(RunIndex.open(ID, write(runs))));
  }

  @Test
  void findsFirstBlockLikeLinearSearch(Random random) {
    for (int round = 0; round < 50; round++) {
      List<Block> blocks = runs(random, 1, 1 + random.nextInt(60)).getFirst().blocks();
      RunView view =
          RunIndex.open(ID, write(List.of(new Run(Tier.HOST, 0, 1 << 30, blocks)))).run(0);
      int last = blocks.getLast().partition();
      for (int partition = -2; partition < last + 3; partition++) {
        assertEquals(linear(blocks, partition), view.firstBlock(partition));
      }
      assertEquals(0, view.firstBlock(Integer.MIN_VALUE));
      assertEquals(linear(blocks, Integer.MAX_VALUE), view.firstBlock(Integer.MAX_VALUE));
    }
  }

  private static int linear(List<Block> blocks, int partition) {
    int block = 0;
    while (block < blocks.size() && blocks.get(block).partition() < partition) {
      block++;
    }
    return block;
  }

  @Test
  void detectsEveryFlippedBit(Random random) {
    List<Run> runs = runs(random, 3, 12);
    MemorySegment index = write(runs);
    for (long bit = 0; bit < index.byteSize() * 8; bit++) {
      flip(index, bit);
      assertThrows(CorruptIndexException.class, () -> RunIndex.open(ID, index), "bit " + bit);
      flip(index, bit);
    }
    assertEquals(runs, read(RunIndex.open(ID, index)));
  }

  private static void flip(MemorySegment index, long bit) {
    long at = bit / 8;
    index.set(
        ValueLayout.JAVA_BYTE, at, (byte) (index.get(ValueLayout.JAVA_BYTE, at) ^ 1 << (bit % 8)));
  }

  @Test
  void rejectsTruncatedOrExtendedIndex(Random random) {
    MemorySegment index = write(runs(random, 3, 12));
    for (long bytes = 0; bytes < index.byteSize(); bytes++) {
      MemorySegment part = index.asSlice(0, bytes);
      assertThrows(CorruptIndexException.class, () -> RunIndex.open(ID, part));
    }
    MemorySegment longer = memory(index.byteSize() + Long.BYTES);
    longer.copyFrom(index);
    assertThrows(CorruptIndexException.class, () -> RunIndex.open(ID, longer));
  }

  @Test
  void rejectsIndexOfAnotherMapOutput(Random random) {
    MemorySegment index = write(runs(random, 1, 3));
    for (MapOutputId other :
        List.of(
            new MapOutputId(ID.shuffleId(), ID.mapId() + 1),
            new MapOutputId(ID.shuffleId() + 1, ID.mapId()))) {
      assertEquals(
          "index of %s: it is the index of %s".formatted(other, ID),
          assertThrows(CorruptIndexException.class, () -> RunIndex.open(other, index))
              .getMessage());
    }
  }

  @Test
  void rejectsAnotherVersion(Random random) {
    MemorySegment index = write(runs(random, 1, 3));
    index.set(ValueLayout.JAVA_INT, IndexDescriptor.VERSION_OFFSET, ControlDescriptor.VERSION + 1);
    sign(index);
    assertEquals(
        "index of %s: magic 494d5953 and version 4 instead of 494d5953 and 3".formatted(ID),
        assertThrows(CorruptIndexException.class, () -> RunIndex.open(ID, index)).getMessage());
  }

  @Test
  void toleratesRandomNumbersWithRightChecksum(Random random) {
    try (Windows windows = new Windows()) {
      MemorySegment window = windows.add(1 << 16);
      MemorySegment good = write(runs(random, 3, 5));
      MemorySegment index = memory(good.byteSize());
      int rejected = 0;
      for (int round = 0; round < 5_000; round++) {
        index.copyFrom(good);
        for (int change = random.nextInt(3); change >= 0; change--) {
          int word = 2 + random.nextInt((int) index.byteSize() / Integer.BYTES - 2);
          index.setAtIndex(ValueLayout.JAVA_INT, word, extreme(random));
        }
        sign(index);
        try {
          RunIndex open = RunIndex.open(ID, index);
          for (int r = 0; r < open.runs(); r++) {
            checkRange(
                new RowOutput(
                    0, open, window, new RunFiles(List.of(Path.of("none")), Optional.empty())),
                r);
          }
        } catch (CorruptIndexException e) {
          rejected++;
        }
      }
      assertTrue(rejected > 500, "only " + rejected + " were rejected");
    }
  }

  private static int extreme(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> random.nextInt();
      case 1 -> random.nextInt(64) - 8;
      case 2 -> Integer.MAX_VALUE - random.nextInt(3);
      default -> Integer.MIN_VALUE + random.nextInt(3);
    };
  }

  /** Checks that all numbers of a run are in range, if they are accepted. */
  private static void checkRange(RowOutput output, int number) {
    RunView run = output.index().run(number);
    assertTrue(run.place() >= 0 && run.bytes() > 0 && run.blocks() > 0);
    assertTrue(run.place() <= Long.MAX_VALUE - run.bytes());
    for (int partition : new int[] {Integer.MIN_VALUE, 0, 3, Integer.MAX_VALUE}) {
      int first = run.firstBlock(partition);
      assertTrue(first >= 0 && first <= run.blocks());
    }
    for (int block = 0; block < run.blocks(); block++) {
      long start = run.start(block);
      long size = run.size(block);
      assertTrue(start >= 0 && size > 0 && start + size <= run.bytes());
      assertEquals(run.checksum(block), run.checksum(block));
    }
    if (run.tier() == Tier.HOST) {
      MemorySegment memory = output.hostRun(run);
      assertEquals(run.bytes(), memory.byteSize());
      assertTrue(memory.address() >= output.window().address() + ControlDescriptor.BYTES);
    }
  }

  private static List<Run> runs(Random random, int count, int maxPartitions) {
    List<Run> runs = new ArrayList<>();
    for (int r = 0; r < count; r++) {
      TreeSet<Integer> partitions = new TreeSet<>();
      for (int b = random.nextInt(maxPartitions); b >= 0; b--) {
        partitions.add(random.nextInt(4 * maxPartitions));
      }
      List<Block> blocks = new ArrayList<>();
      long start = 0;
      for (int partition : partitions) {
        long size = 8L * (1 + random.nextInt(1 << random.nextInt(12)));
        blocks.add(new Block(partition, start, size, random.nextInt()));
        start += size;
      }
      Tier tier = random.nextBoolean() ? Tier.HOST : Tier.DISK;
      runs.add(new Run(tier, 8L * random.nextInt(1 << 30), start, blocks));
    }
    return runs;
  }

  private static MemorySegment write(List<Run> runs) {
    RowOutputBuilder builder = Indexes.builder(ID, 1_000_000);
    for (Run run : runs) {
      int count = run.blocks().size();
      // Longer than needed, since a writer may pass arrays that it reuses.
      int[] partitions = new int[count + 1];
      int[] starts = new int[count + 2];
      int[] checksums = new int[count + 1];
      for (int b = 0; b < count; b++) {
        Block block = run.blocks().get(b);
        partitions[b] = block.partition();
        starts[b] = (int) (block.start() / RunIndexDescriptor.START_UNIT);
        checksums[b] = block.checksum();
      }
      Block last = run.blocks().getLast();
      starts[count] = (int) ((last.start() + last.size()) / RunIndexDescriptor.START_UNIT);
      builder.add(
          run.tier(),
          run.place(),
          run.bytes(),
          new BlockTable(count, partitions, starts, checksums));
    }
    assertEquals(runs.isEmpty(), builder.isEmpty());
    assertEquals(0, builder.indexBytes() % Long.BYTES);
    return Indexes.index(builder);
  }

  private static MemorySegment memory(long bytes) {
    return Arena.ofAuto().allocate(bytes, Long.BYTES);
  }

  private static void sign(MemorySegment index) {
    IndexHeader.seal(index);
  }

  private static List<Run> read(RunIndex index) {
    List<Run> runs = new ArrayList<>();
    for (int r = 0; r < index.runs(); r++) {
      RunView view = index.run(r);
      List<Block> blocks = new ArrayList<>();
      for (int b = 0; b < view.blocks(); b++) {
        blocks.add(new Block(view.partition(b), view.start(b), view.size(b), view.checksum(b)));
      }
      runs.add(new Run(view.tier(), view.place(), view.bytes(), blocks));
    }
    return runs;
  }
}
