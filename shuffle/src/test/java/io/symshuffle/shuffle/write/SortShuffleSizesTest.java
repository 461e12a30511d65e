// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.output.BlockTable;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.apache.spark.SparkConf;
import org.apache.spark.io.CompressionCodec;
import org.apache.spark.io.CompressionCodec$;
import org.apache.spark.unsafe.Platform;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(SeededRandom.class)
class SortShuffleSizesTest {
  private static final int PARTITIONS = 40;
  private static final int RUN = 1 << 20;

  /** Writes records as a map task does, and as sort shuffle does. */
  private static final class Written implements AutoCloseable {
    private final SortShuffleSizes sizes;
    private final Arena arena = Arena.ofConfined();
    private final RunBuilder runs;
    private final long[] bytes;
    private final ByteArrayOutputStream[] sorted;

    Written(SortShuffleSizes sizes, int partitions) {
      this.sizes = sizes;
      this.runs = new RunBuilder(arena.allocate(RUN, 8), arena.allocate(RUN, 8), partitions);
      this.bytes = new long[partitions];
      this.sorted = new ByteArrayOutputStream[partitions];
    }

    void row(int partition, byte[] row) throws IOException {
      if (!runs.append(partition, row, Platform.BYTE_ARRAY_OFFSET, row.length)) {
        flush();
        runs.append(partition, row, Platform.BYTE_ARRAY_OFFSET, row.length);
      }
      if (sorted[partition] == null) {
        sorted[partition] = new ByteArrayOutputStream();
      }
      new DataOutputStream(sorted[partition]).writeInt(row.length);
      sorted[partition].writeBytes(row);
    }

    private void flush() throws IOException {
      for (int partition = 0; partition < bytes.length; partition++) {
        bytes[partition] += runs.bytesByPartition()[partition];
      }
      BlockTable blocks = runs.sort(false);
      sizes.add(runs.run(), blocks);
    }

    long[] estimate() throws IOException {
      flush();
      return sizes.estimate(bytes);
    }

    @Override
    public void close() {
      arena.close();
    }
  }

  private static CompressionCodec codec(String name) {
    return CompressionCodec$.MODULE$.createCodec(new SparkConf(false), name);
  }

  @ParameterizedTest
  @CsvSource({"lz4,100", "lz4,2000", "lz4,200000", "zstd,2000", "zstd,200000", "snappy,200000"})
  void estimatesSizesOfSortShuffle(String name, int rows, Random random) throws IOException {
    SortShuffleSizes sizes = new SortShuffleSizes(codec(name)::compressedOutputStream, true);
    long estimated = 0;
    long actual = 0;
    try (Written written = new Written(sizes, PARTITIONS)) {
      for (int i = 0; i < rows; i++) {
        // Some partitions are empty, some large.
        written.row((int) (Math.pow(random.nextDouble(), 2) * (PARTITIONS - 5)), row(random));
      }
      long[] estimates = written.estimate();
      for (int partition = 0; partition < PARTITIONS; partition++) {
        ByteArrayOutputStream sorted = written.sorted[partition];
        assertEquals(sorted == null, estimates[partition] == 0);
        estimated += estimates[partition];
        actual += sorted == null ? 0 : compressed(codec(name), sorted);
      }
    }
    double ratio = estimated / (double) actual;
    assertTrue(ratio > 0.8 && ratio < 1.25, estimated + " instead of " + actual);
  }

  /** Adaptive execution coalesces and splits partitions by small differences of their sizes. */
  @Test
  void sizesOfSmallPartitionsAreExact(Random random) throws IOException {
    SortShuffleSizes sizes = new SortShuffleSizes(codec("lz4")::compressedOutputStream, true);
    try (Written written = new Written(sizes, SortShuffleSizes.SAMPLES)) {
      for (int i = 0; i < 2_000; i++) {
        int partition = i % SortShuffleSizes.SAMPLES;
        // Partitions differ in how much smaller they become.
        byte[] row = new byte[80];
        for (int at = 0; at < 8 * partition; at++) {
          row[at] = (byte) random.nextInt();
        }
        written.row(partition, row);
      }
      long[] expected = new long[SortShuffleSizes.SAMPLES];
      for (int partition = 0; partition < expected.length; partition++) {
        expected[partition] = compressed(codec("lz4"), written.sorted[partition]);
      }
      assertArrayEquals(expected, written.estimate());
    }
  }

  /** Adaptive execution splits a skewed partition by the sizes of its map outputs. */
  @Test
  void sizeOfLargePartitionFollowsRowsThatChange(Random random) throws IOException {
    SortShuffleSizes sizes = new SortShuffleSizes(codec("lz4")::compressedOutputStream, true);
    try (Written written = new Written(sizes, PARTITIONS)) {
      for (int i = 0; i < 1_000_000; i++) {
        byte[] row = row(random);
        if (i < 300_000) {
          Arrays.fill(row, (byte) 7);
        }
        written.row(i % 10 < 8 ? 3 : i % PARTITIONS, row);
      }
      long actual = compressed(codec("lz4"), written.sorted[3]);
      assertEquals(1, written.estimate()[3] / (double) actual, 0.05);
    }
  }

  private static long compressed(CompressionCodec codec, ByteArrayOutputStream bytes)
      throws IOException {
    ByteArrayOutputStream to = new ByteArrayOutputStream();
    try (var out = codec.compressedOutputStream(to)) {
      out.write(bytes.toByteArray());
    }
    return to.size();
  }

  @Test
  void reportsSizesOfRowsWithoutCompression() throws IOException {
    try (Written written = new Written(new SortShuffleSizes(UnaryOperator.identity(), true), 3)) {
      written.row(1, new byte[32]);
      written.row(2, new byte[32]);
      written.row(2, new byte[32]);
      assertArrayEquals(new long[] {0, 36, 72}, written.estimate());
    }
  }

  @Test
  void neverReportsNothingForRecords() throws IOException {
    try (Written written = new Written(new SortShuffleSizes(UnaryOperator.identity(), false), 3)) {
      written.row(1, new byte[0]);
      written.row(2, new byte[0]);
      assertArrayEquals(new long[] {0, 1, 1}, written.estimate());
    }
  }

  private static byte[] row(Random random) {
    return ByteBuffer.allocate(40)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(0)
        .putLong(random.nextInt(6_000_000))
        .putLong(random.nextInt(50))
        .putLong(random.nextInt(1_000))
        .putLong(Double.doubleToLongBits(random.nextInt(10_000) / 100.0))
        .array();
  }
}
