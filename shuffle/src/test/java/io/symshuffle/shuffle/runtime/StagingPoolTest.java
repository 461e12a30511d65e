// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.process.ChildProcess;
import io.symshuffle.shuffle.fixture.FatalErrors;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
  void neverHandsOutBuffersInUse() {
    StagingPool pool = new StagingPool(65536);
    List<MemorySegment> used = new ArrayList<>();
    for (int task = 0; task < 3; task++) {
      StagingPool.Buffers buffers = pool.acquire(1);
      for (MemorySegment buffer : List.of(buffers.staging(), buffers.run())) {
        used.forEach(other -> assertTrue(buffer.asOverlappingSlice(other).isEmpty()));
        used.add(buffer);
      }
    }
  }

  @Test
  void keepsOnlyBuffersOfConfiguredSizeWhenTrimmed() {
    StagingPool pool = new StagingPool(65536);
    StagingPool.Buffers small = pool.acquire(1);
    StagingPool.Buffers large = pool.acquire(512);
    pool.release(small);
    pool.release(large);

    pool.trim();

    assertNotSame(large, pool.acquire(512));
    assertSame(small, pool.acquire(1));
  }

  /** Not even one of the buffers of 16 MiB fits, but three tasks' buffers of 1 MiB do. */
  @Test
  void usesConfiguredSizeWhenDirectMemoryIsShort() {
    ChildProcess.Result result =
        ChildProcess.java(
                List.of("-Xmx64m", "-XX:MaxDirectMemorySize=8m"),
                SmallDirectMemory.class.getName(),
                List.of())
            .run(Duration.ofMinutes(10));

    assertEquals(0, result.status(), result.output());
    assertTrue(result.output().contains("sizes [1048576, 1048576, 1048576]"), result.output());
    assertTrue(
        result.output().contains("no direct memory for two staging buffers of 1048576 bytes"),
        result.output());
    assertTrue(result.output().contains("sizes after release [1048576]"), result.output());
  }

  /** Acquires buffers until the JVM's direct memory is used up. */
  static final class SmallDirectMemory {
    private SmallDirectMemory() {}

    public static void main(String[] arguments) {
      StagingPool pool = new StagingPool(1 << 20);
      List<StagingPool.Buffers> held = new ArrayList<>();
      for (int task = 0; task < 3; task++) {
        held.add(pool.acquire(65_536));
      }
      System.out.println("sizes " + sizes(held));
      StagingPool.Buffers last = pool.acquire(65_536);
      try {
        System.out.println("unexpected: " + pool.acquire(65_536));
      } catch (IllegalStateException e) {
        FatalErrors.assertNone(e);
        System.out.println(e.getMessage());
      }
      pool.release(last);
      System.out.println("sizes after release " + sizes(List.of(pool.acquire(65_536))));
    }

    private static List<Long> sizes(List<StagingPool.Buffers> of) {
      return of.stream().map(buffers -> buffers.staging().byteSize()).toList();
    }
  }
}
