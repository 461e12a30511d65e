// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ExactSizesTest {
  /** A third of the partitions has one row, all others are empty, so the median is 0. */
  @Test
  void fewOfManyEqualSizesAreKept() {
    long[] sizes = new long[20_000];
    Arrays.setAll(sizes, i -> i % 3 == 0 ? 120 : 0);
    sizes[7] = 1 << 20;
    ExactSizes.limit(sizes);
    assertEquals(ExactSizes.MAX, kept(sizes));
    assertEquals(1 << 20, sizes[7]);
    assertTrue(LongStream.of(sizes).allMatch(size -> size <= 121 || size == 1 << 20));
    assertEquals(6_668, LongStream.of(sizes).filter(size -> size >= 120).count());
  }

  /** Readers look for blocks that are not empty according to Spark. */
  @Test
  void emptyBlocksStayEmpty() {
    for (int count = 0; count < 200; count++) {
      long[] sizes = new long[5_000];
      Arrays.fill(sizes, 1_000, 1_000 + count, 120);
      ExactSizes.limit(sizes);
      assertEquals(count, LongStream.of(sizes).filter(size -> size > 0).count());
    }
  }

  @Test
  void otherSizesDoNotChange() {
    long[] different = LongStream.range(0, 5_000).toArray();
    ExactSizes.limit(different);
    assertArrayEquals(LongStream.range(0, 5_000).toArray(), different);
    long[] few = new long[ExactSizes.MAX];
    ExactSizes.limit(few);
    assertArrayEquals(new long[ExactSizes.MAX], few);
  }

  /** What Spark keeps if the median is 0. */
  private static long kept(long[] sizes) {
    long[] ascending = sizes.clone();
    Arrays.sort(ascending);
    long threshold = ascending[sizes.length - ExactSizes.MAX];
    return LongStream.of(sizes).filter(size -> size > 0 && size >= threshold).count();
  }
}
