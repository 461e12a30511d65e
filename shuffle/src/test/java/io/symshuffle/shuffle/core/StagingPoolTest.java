// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StagingPoolTest {
  @ParameterizedTest
  @CsvSource({
    "1048576, 1, 1048576",
    "1048576, 4096, 1048576",
    "1048576, 4097, 2097152",
    "1048576, 20000, 8388608",
    "1048576, 65536, 16777216",
    "1048576, 2147483647, 16777216",
    "65536, 256, 65536",
    "65536, 257, 131072",
    "70000, 300, 131072",
    "33554432, 1000000, 33554432",
    "1073741824, 1000000, 1073741824"
  })
  void growsBuffersWithPartitions(int configured, int partitions, int bytes) {
    assertEquals(bytes, new StagingPool(configured).bytesFor(partitions));
  }

  @Test
  void reusesBufferOfSameSize() {
    StagingPool pool = new StagingPool(65536);
    MemorySegment small = pool.acquire(65536);
    MemorySegment large = pool.acquire(131072);
    assertEquals(65536, small.byteSize());
    assertEquals(131072, large.byteSize());
    assertEquals(0, small.address() % 4096);
    pool.release(small);
    pool.release(large);
    assertSame(large, pool.acquire(131072));
    assertSame(small, pool.acquire(65536));
  }

  @Test
  void neverHandsOutBufferInUse() {
    StagingPool pool = new StagingPool(65536);
    MemorySegment first = pool.acquire(65536);
    MemorySegment second = pool.acquire(65536);
    assertNotSame(first, second);
    assertTrue(first.asOverlappingSlice(second).isEmpty());
  }
}
