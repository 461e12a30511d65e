// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.RecordDescriptor;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.Random;
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

  private static CompressionCodec codec(String name) {
    return CompressionCodec$.MODULE$.createCodec(new SparkConf(false), name);
  }

  @ParameterizedTest
  @CsvSource({"lz4,100", "lz4,2000", "lz4,200000", "zstd,2000", "zstd,200000", "snappy,200000"})
  void estimatesSizesOfSortShuffle(String name, int rows, Random random) throws IOException {
    SortShuffleSizes sizes = new SortShuffleSizes(Optional.of(codec(name)), true);
    ByteArrayOutputStream[] sorted = new ByteArrayOutputStream[PARTITIONS];
    long[] bytes = new long[PARTITIONS];
    for (int i = 0; i < rows; i++) {
      // Some partitions are empty, some large.
      int partition = (int) (Math.pow(random.nextDouble(), 2) * (PARTITIONS - 5));
      byte[] row = row(random);
      if (sizes.wants(partition)) {
        sizes.add(partition, row, Platform.BYTE_ARRAY_OFFSET, row.length);
      }
      bytes[partition] += RecordDescriptor.sizeOf(row.length);
      if (sorted[partition] == null) {
        sorted[partition] = new ByteArrayOutputStream();
      }
      new DataOutputStream(sorted[partition]).writeInt(row.length);
      sorted[partition].writeBytes(row);
    }
    long[] estimates = sizes.estimate(bytes);
    long estimated = 0;
    long actual = 0;
    for (int partition = 0; partition < PARTITIONS; partition++) {
      assertEquals(sorted[partition] == null, estimates[partition] == 0);
      estimated += estimates[partition];
      actual += sorted[partition] == null ? 0 : compressed(codec(name), sorted[partition]);
    }
    double ratio = estimated / (double) actual;
    assertTrue(ratio > 0.8 && ratio < 1.25, estimated + " instead of " + actual);
  }

  /** Adaptive execution coalesces and splits partitions by small differences of their sizes. */
  @Test
  void sizesOfSmallPartitionsAreExact(Random random) throws IOException {
    SortShuffleSizes sizes = new SortShuffleSizes(Optional.of(codec("lz4")), true);
    ByteArrayOutputStream[] sorted = new ByteArrayOutputStream[SortShuffleSizes.SAMPLES];
    long[] bytes = new long[SortShuffleSizes.SAMPLES];
    for (int i = 0; i < 2_000; i++) {
      int partition = i % sorted.length;
      // Partitions differ in how much smaller they become.
      byte[] row = new byte[80];
      for (int at = 0; at < 8 * partition; at++) {
        row[at] = (byte) random.nextInt();
      }
      assertTrue(sizes.wants(partition));
      sizes.add(partition, row, Platform.BYTE_ARRAY_OFFSET, row.length);
      bytes[partition] += RecordDescriptor.sizeOf(row.length);
      if (sorted[partition] == null) {
        sorted[partition] = new ByteArrayOutputStream();
      }
      new DataOutputStream(sorted[partition]).writeInt(row.length);
      sorted[partition].writeBytes(row);
    }
    long[] expected = new long[sorted.length];
    for (int partition = 0; partition < sorted.length; partition++) {
      expected[partition] = compressed(codec("lz4"), sorted[partition]);
    }
    assertArrayEquals(expected, sizes.estimate(bytes));
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
    SortShuffleSizes sizes = new SortShuffleSizes(Optional.empty(), true);
    sizes.add(1, new byte[32], Platform.BYTE_ARRAY_OFFSET, 32);
    assertArrayEquals(new long[] {0, 36, 72}, sizes.estimate(new long[] {0, 40, 80}));
  }

  @Test
  void neverReportsNothingForRecords() throws IOException {
    SortShuffleSizes sizes = new SortShuffleSizes(Optional.empty(), false);
    sizes.add(1, new byte[0], Platform.BYTE_ARRAY_OFFSET, 0);
    assertArrayEquals(new long[] {0, 1, 1}, sizes.estimate(new long[] {0, 8, 16}));
  }

  @Test
  void reportsBytesWithoutSample() throws IOException {
    SortShuffleSizes sizes = new SortShuffleSizes(Optional.of(codec("lz4")), false);
    assertArrayEquals(new long[] {0, 8, 16}, sizes.estimate(new long[] {0, 8, 16}));
  }

  @Test
  void samplesFewPartitions() throws IOException {
    SortShuffleSizes sizes = new SortShuffleSizes(Optional.of(codec("lz4")), true);
    int sampled = 0;
    for (int i = 0; i < 100_000; i++) {
      if (sizes.wants(i % PARTITIONS)) {
        sizes.add(i % PARTITIONS, new byte[32], Platform.BYTE_ARRAY_OFFSET, 32);
        sampled++;
      }
    }
    int perPartition = -Math.floorDiv(-SortShuffleSizes.SAMPLE_BYTES, 36);
    assertTrue(sampled <= SortShuffleSizes.SAMPLES * perPartition, sampled + " records");
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
