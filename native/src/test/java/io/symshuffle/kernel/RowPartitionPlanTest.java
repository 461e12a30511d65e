// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plans of row partitions; the kernels' tests check how the kernels use them. */
class RowPartitionPlanTest {
  private static final int H200 = 132;

  @ParameterizedTest
  @CsvSource({
    "1, 0, 0",
    "2, 1, 1",
    "3, 1, 2",
    "200, 1, 8",
    "256, 1, 8",
    "257, 2, 5",
    "4000, 2, 6",
    "65536, 2, 8",
    "65537, 3, 6",
    "100000, 3, 6",
    "16777216, 3, 8"
  })
  void digitsCoverThePartitionsInFewPasses(int partitions, int passes, int digitBits) {
    RowPartitionPlan plan = RowPartitionPlan.of(H200, 1 << 20, 10_000, partitions);
    assertEquals(passes, plan.passes());
    assertEquals(digitBits, plan.digitBits());
    assertTrue(1L << (passes * digitBits) >= partitions);
    assertEquals(5 + 4 * passes, plan.launches());
  }

  @Test
  void passesAlternateBetweenTwoLists() {
    List<RowPartitionPlan.Step> steps = RowPartitionPlan.of(H200, 1 << 20, 10_000, 100_000).steps();
    assertEquals(
        List.of(
            "parse",
            "count",
            "count_parts",
            "count_entries",
            "scatter",
            "count",
            "count_parts",
            "count_entries",
            "scatter",
            "count",
            "count_parts",
            "count_entries",
            "scatter",
            "place_parts",
            "place_entries",
            "move",
            "crc32c"),
        steps.stream().map(RowPartitionPlan.Step::kernel).toList());
    assertFalse(steps.get(1).swapped());
    assertTrue(steps.get(5).swapped());
    assertFalse(steps.get(9).swapped());
    assertTrue(steps.getLast().swapped());
    assertEquals(12, steps.get(9).digitShift());
  }

  @Test
  void temporaryMemoryFitsAndPlanIsWithinLimitsForRandomRuns() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 5_000; i++) {
      int multiprocessors = 1 + random.nextInt(i % 2 == 0 ? 200 : 1 << 16);
      long words = 1 + random.nextLong(1L << (1 + random.nextInt(27)));
      int records = (int) (1 + random.nextLong(words));
      int partitions = 1 + random.nextInt(1 << (1 + random.nextInt(24)));
      RowPartitionPlan plan = RowPartitionPlan.of(multiprocessors, 8 * words, records, partitions);
      String what = "seed %d: %s".formatted(seed, plan);
      assertEquals((records + 31) / 32, plan.groups(), what);
      assertEquals(4L * plan.groups(), plan.groupStartsBytes(), what);
      assertTrue(plan.tileCount() <= RowPartitionPlan.MAX_TILES, what);
      assertTrue((long) plan.tileCount() * plan.tileRecords() >= records, what);
      assertTrue((plan.tileCount() - 1L) * plan.tileRecords() < records, what);
      for (RowPartitionPlan.Step step : plan.steps()) {
        assertTrue(
            step.ctas() >= 1 && step.ctas() <= plan.maxCtas() && step.tileUnits() >= 1, what);
      }
      RowPartitionPlan.Temporary at = plan.layout();
      long blocks = plan.maxBlocks();
      long[] bytes = {
        8L * plan.maxCtas(),
        4 * blocks,
        4 * blocks + 4,
        4 * blocks,
        (4L * plan.tileCount()) << plan.digitBits(),
        8L * records,
        8L * records
      };
      long[] starts = {
        at.sums(),
        at.blockPartitions(),
        at.blockStarts(),
        at.blockChecksums(),
        at.counts(),
        at.items(),
        at.other(),
        plan.temporaryBytes()
      };
      for (int piece = 0; piece < bytes.length; piece++) {
        assertEquals(0, starts[piece] % 128, what);
        assertTrue(starts[piece] + bytes[piece] <= starts[piece + 1], what);
      }
      assertTrue(plan.temporaryBytes() < LongStream.of(bytes).sum() + 7 * 128, what);
      int more = records + random.nextInt(1_000);
      assertTrue(
          plan.temporaryBytes()
              <= RowPartitionPlan.maxTemporaryBytes(multiprocessors, more, partitions),
          what);
    }
  }

  @Test
  void temporaryMemoryIsAFewMebibytesAndSixteenBytesPerRecord() {
    RowPartitionPlan plan = RowPartitionPlan.of(H200, 256 << 20, 2_500_000, 200);
    assertTrue(plan.temporaryBytes() < 16L * 2_500_000 + (6 << 20), plan::toString);
  }

  @Test
  void numbersOutOfRangeAreRefused() {
    refused(0, 8, 1, 1);
    refused(H200, 0, 1, 1);
    refused(H200, 12, 1, 1);
    refused(H200, RowPartitionPlan.MAX_BYTES + 8, 1, 1);
    refused(H200, 80, 0, 1);
    refused(H200, 80, 11, 1);
    refused(H200, 80, 10, 0);
    refused(H200, 80, 10, RowPartitionPlan.MAX_PARTITIONS + 1);
    RowPartitionPlan.of(
        H200,
        RowPartitionPlan.MAX_BYTES,
        (int) (RowPartitionPlan.MAX_BYTES / 8),
        RowPartitionPlan.MAX_PARTITIONS);
  }

  private static void refused(int multiprocessors, long bytes, int records, int partitions) {
    assertThrows(
        IllegalArgumentException.class,
        () -> RowPartitionPlan.of(multiprocessors, bytes, records, partitions));
  }
}
