// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.compress.BlockDecompressor;
import io.symshuffle.shuffle.compress.CorruptPacketException;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Runs of the DISK tier that are compressed. */
@ExtendWith(SeededRandom.class)
class RunPackerTest {
  private static final MapOutputId ID = new MapOutputId(3, 5);
  private static final int PARTITIONS = 20;

  @TempDir Path disk;
  @AutoClose private final Windows windows = new Windows();
  private Owner owner;

  @BeforeEach
  void start() {
    owner = Owner.add(windows, 1 << 20, disk);
  }

  @Test
  void runTakesFewerBytesAndHasTheSameRecords(Random random) throws IOException {
    Records run = numbers(random, 20_000);
    RowOutput output = published(List.of(run, run));
    assertTrue(output.index().run(0).isPacked());
    long plain = output.index().run(0).bytes() + output.index().run(1).bytes();
    long stored = Files.size(owner.files().getFirst());
    assertTrue(stored < plain / 2, () -> stored + " bytes of " + plain);
    Records twice = new Records();
    twice.addAll(run);
    twice.addAll(run);
    Records.read(output, true).assertSameAs(twice);
  }

  @Test
  void recordMayBeLongerThanPacketsAndTheBuffer(Random random) throws IOException {
    Records run = numbers(random, 100);
    byte[] large = new byte[3_000_001];
    random.nextBytes(large);
    run.add(7, large);
    run.add(7, new byte[2_000_000]);
    RowOutput output = published(List.of(run));
    assertTrue(output.index().run(0).isPacked());
    Records.read(output, true).assertSameAs(run);
  }

  @Test
  void runsAreStoredAsTheyAreAfterOneThatStaysLarge(Random random) throws IOException {
    Records run = Records.random(random, 500, PARTITIONS, 300);
    RowOutput output = published(Collections.nCopies(18, run));
    for (int number = 0; number < 18; number++) {
      assertEquals(number % 16 == 0, output.index().run(number).isPacked(), "run " + number);
    }
    Records all = new Records();
    for (int number = 0; number < 18; number++) {
      all.addAll(run);
    }
    Records.read(output, true).assertSameAs(all);
  }

  @Test
  void damageConcernsOneBlock(Random random) throws IOException {
    RowOutput output = published(List.of(numbers(random, 5_000)));
    RunView run = output.index().run(0);
    Path file = owner.files().getFirst();
    try (BlockDecompressor decompressor = new BlockDecompressor()) {
      byte[] before;
      try (RunReader reader = RunReader.open(output)) {
        before = reader.readBlock(run, 8, decompressor);
      }
      byte[] bytes = Files.readAllBytes(file);
      int from = (int) run.storedPlace(9);
      bytes[from + random.nextInt(4)] ^= 16;
      Files.write(file, bytes);
      try (RunReader reader = RunReader.open(output)) {
        assertArrayEquals(before, reader.readBlock(run, 8, decompressor));
        assertThrows(CorruptPacketException.class, () -> reader.readBlock(run, 9, decompressor));
      }
    }
  }

  @Test
  void rejectsMoreRecordsThanPacketsOfThatSizeHold() throws IOException {
    RowOutputBuilder builder = Indexes.builder(ID, PARTITIONS);
    BlockTable blocks = new BlockTable(1, new int[] {4}, new int[] {0, 1 << 27}, new int[] {0});
    builder.addPacked(new RunPacker.Packed(0, new int[] {400}), 1L << 30, blocks);
    RunView run = RunIndex.open(ID, Indexes.index(builder)).run(0);
    CorruptIndexException e = assertThrows(CorruptIndexException.class, () -> run.storedBytes(0));
    assertTrue(
        e.getMessage().contains("block 0 of 1073741824 bytes is stored in 400 bytes"),
        e::getMessage);
  }

  private RowOutput published(List<Records> runs) throws IOException {
    owner.publish(ID, runs, Collections.nCopies(runs.size(), Tier.DISK));
    return new MapOutputs(windows.heap(0)).find(0, ID).orElseThrow().rows();
  }

  /** Records of small numbers, as rows of Spark have them. */
  private static Records numbers(Random random, int count) {
    Records records = new Records();
    for (int i = 0; i < count; i++) {
      ByteBuffer row = ByteBuffer.allocate(32).order(ByteOrder.LITTLE_ENDIAN);
      row.putLong(0).putLong(i).putLong(random.nextInt(1000)).putLong(random.nextInt(50));
      records.add(random.nextInt(PARTITIONS), row.array());
    }
    return records;
  }
}
