// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.output.BlockTable;
import io.symshuffle.shuffle.output.Records;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.apache.spark.unsafe.Platform;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SeededRandom.class)
class RunBuilderTest {
  /** Bytes around a buffer that must not change. */
  private static final int MARGIN = 256;

  private static final byte UNTOUCHED = 0x5A;

  private final Arena arena = Arena.ofAuto();

  @Test
  void sortsRunsByPartitionAndPreservesOrder(Random random) {
    for (int round = 0; round < 60; round++) {
      int capacity = 8 * (1 + random.nextInt(20_000));
      int partitions = 1 + random.nextInt(1 << random.nextInt(12));
      MemorySegment staging = guarded(capacity);
      MemorySegment run = guarded(capacity);
      RunBuilder builder = new RunBuilder(inside(staging), inside(run), partitions);
      for (int runs = 0; runs < 3; runs++) {
        Records expected = fill(builder, partitions, capacity, random);
        check(builder, expected, random.nextBoolean());
      }
      checkMargins(staging);
      checkMargins(run);
    }
  }

  /** Appends records until one does not fit. */
  private Records fill(RunBuilder builder, int partitions, int capacity, Random random) {
    Records records = new Records();
    int most = random.nextInt(Math.min(capacity, 2_000)) + 1;
    boolean one = random.nextInt(5) == 0;
    int length = random.nextBoolean() ? 0 : random.nextInt(most); // the same for all, or random
    int only = random.nextInt(partitions);
    long bytes = 0;
    while (true) {
      byte[] record = new byte[length == 0 ? random.nextInt(most) : length];
      random.nextBytes(record);
      int partition = one ? only : random.nextInt(partitions);
      boolean fits = bytes + 8 + (record.length + 7) / 8 * 8L <= capacity;
      assertEquals(fits, append(builder, partition, record, random));
      if (!fits) {
        return records;
      }
      records.add(partition, record);
      bytes = builder.bytes();
      assertEquals(records.bytes(partition), builder.bytesByPartition()[partition]);
    }
  }

  /** Appends a record from an array or native memory, at a random offset. */
  private boolean append(RunBuilder builder, int partition, byte[] record, Random random) {
    int shift = random.nextInt(17);
    if (random.nextBoolean()) {
      byte[] array = new byte[record.length + shift];
      System.arraycopy(record, 0, array, shift, record.length);
      return builder.append(
          partition, array, Platform.BYTE_ARRAY_OFFSET + (long) shift, record.length);
    }
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment memory = confined.allocate(record.length + 17L, 8);
      MemorySegment.copy(record, 0, memory, ValueLayout.JAVA_BYTE, shift, record.length);
      return builder.append(partition, null, memory.address() + shift, record.length);
    }
  }

  private static void check(RunBuilder builder, Records expected, boolean checksum) {
    if (builder.bytes() == 0) {
      return;
    }
    int bytes = IntStream.of(builder.bytesByPartition()).sum();
    assertTrue(bytes <= builder.bytes());
    BlockTable table = builder.sort(checksum);
    ByteBuffer run = builder.run().asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(bytes, run.remaining());
    assertEquals(0, builder.bytes());
    assertEquals(expected.partitions(), table.count());
    assertEquals(0, table.starts()[0]);
    assertEquals(bytes / 8, table.starts()[table.count()]);
    Records found = new Records();
    for (int block = 0; block < table.count(); block++) {
      int partition = table.partitions()[block];
      assertTrue(block == 0 || table.partitions()[block - 1] < partition);
      int start = table.starts()[block] * 8;
      ByteBuffer slice =
          run.slice(start, table.starts()[block + 1] * 8 - start).order(ByteOrder.LITTLE_ENDIAN);
      CRC32C crc = new CRC32C();
      crc.update(slice.duplicate());
      assertEquals(checksum ? (int) crc.getValue() : 0, table.checksums()[block]);
      found.parse(partition, slice);
    }
    found.assertSameAs(expected);
  }

  @Test
  void acceptsRecordThatFillsStagingBuffer() {
    MemorySegment staging = guarded(1024);
    RunBuilder builder = new RunBuilder(inside(staging), arena.allocate(1024, 8), 3);
    assertFalse(builder.append(1, new byte[1017], Platform.BYTE_ARRAY_OFFSET, 1017));
    assertTrue(builder.append(1, new byte[1016], Platform.BYTE_ARRAY_OFFSET, 1016));
    assertFalse(builder.append(1, new byte[0], Platform.BYTE_ARRAY_OFFSET, 0));
    assertEquals(1024, builder.bytes());
    checkMargins(staging);
  }

  @Test
  void rejectsRecordOfMaximumLength() {
    RunBuilder builder = new RunBuilder(arena.allocate(1024, 8), arena.allocate(1024, 8), 1);
    assertFalse(builder.append(0, null, 0, Integer.MAX_VALUE));
    assertEquals(0, builder.bytes());
  }

  private MemorySegment guarded(int bytes) {
    return arena.allocate(bytes + 2L * MARGIN, 8).fill(UNTOUCHED);
  }

  private static MemorySegment inside(MemorySegment guarded) {
    return guarded.asSlice(MARGIN, guarded.byteSize() - 2L * MARGIN);
  }

  private static void checkMargins(MemorySegment guarded) {
    for (long at = 0; at < MARGIN; at++) {
      assertEquals(UNTOUCHED, guarded.get(ValueLayout.JAVA_BYTE, at));
      assertEquals(UNTOUCHED, guarded.get(ValueLayout.JAVA_BYTE, guarded.byteSize() - 1 - at));
    }
  }
}
