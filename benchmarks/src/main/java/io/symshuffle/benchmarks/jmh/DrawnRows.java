// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.jmh;

import io.symshuffle.shuffle.write.RunBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.apache.spark.unsafe.Platform;

/** Rows of random bytes with random partitions, drawn in advance with a fixed seed. */
final class DrawnRows {
  private static final int CHOICES = 1 << 16;

  private final byte[] row;
  private final int[] partitionOf = new int[CHOICES];
  private int next;

  DrawnRows(int rowBytes, int partitions) {
    Random random = new Random(42);
    for (int i = 0; i < CHOICES; i++) {
      partitionOf[i] = random.nextInt(partitions);
    }
    row = new byte[rowBytes];
    random.nextBytes(row);
  }

  /** A builder of runs with buffers of this many bytes each. */
  static RunBuilder builder(int stagingBytes, int partitions) {
    MemorySegment staging = Arena.ofAuto().allocate(stagingBytes, 4096);
    MemorySegment run = Arena.ofAuto().allocate(stagingBytes, 4096);
    return new RunBuilder(staging, run, partitions);
  }

  /** Appends rows until staging is full; returns their number. */
  long fill(RunBuilder builder) {
    long rows = 0;
    while (builder.append(
        partitionOf[next & (CHOICES - 1)], row, Platform.BYTE_ARRAY_OFFSET, row.length)) {
      next++;
      rows++;
    }
    return rows;
  }
}
