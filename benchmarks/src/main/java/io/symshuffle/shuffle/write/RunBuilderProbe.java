// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import io.symshuffle.shuffle.output.BlockTable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Opens the building of runs to benchmarks, which live in another package. */
public final class RunBuilderProbe {
  private final RunBuilder builder;

  /** Buffers of this many bytes each, for this many partitions. */
  public RunBuilderProbe(int stagingBytes, int partitions) {
    MemorySegment staging = Arena.ofAuto().allocate(stagingBytes, 4096);
    MemorySegment run = Arena.ofAuto().allocate(stagingBytes, 4096);
    builder = new RunBuilder(staging, run, partitions);
  }

  /** Appends the bytes of an array at this Unsafe offset; false if staging is full. */
  public boolean append(int partition, byte[] row, long offset, int length) {
    return builder.append(partition, row, offset, length);
  }

  /** Sorts what is staged. */
  public BlockTable sort(boolean checksum) {
    return builder.sort(checksum);
  }

  /** What was sorted last. */
  public MemorySegment run() {
    return builder.run();
  }
}
