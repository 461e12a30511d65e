// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.jmh;

import io.symshuffle.shuffle.output.BlockTable;
import io.symshuffle.shuffle.write.RunBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * A MiB of rows on its way into the heap: staged, sorted, checksummed and copied to a slab that is
 * in no cache. Slabs are used in turn from 512 MiB. The plain copy of ordered bytes is the best
 * that the machine can do.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class RunPlacingBenchmark {
  private static final int RUN_BYTES = 1 << 20;
  private static final int SLABS = 512;

  /** Bytes of a row without its header. */
  @Param({"56", "200", "400", "760", "1528"})
  public int rowBytes;

  /** Partitions of the shuffle. */
  @Param({"64"})
  public int partitions;

  private final MemorySegment heap = Arena.ofAuto().allocate((long) SLABS * RUN_BYTES, 4096);
  private RunBuilder builder;
  private DrawnRows drawn;
  private int slab;

  /** Draws the partitions of the rows and touches all pages. */
  @Setup
  public void prepare() {
    drawn = new DrawnRows(rowBytes, partitions);
    heap.fill((byte) 1);
    builder = DrawnRows.builder(RUN_BYTES, partitions);
  }

  /** Builds and places a run as a map task does. */
  @Benchmark
  public BlockTable run() {
    drawn.fill(builder);
    BlockTable blocks = builder.sort(true);
    nextSlab().copyFrom(builder.run());
    return blocks;
  }

  /** Copies as many bytes from slab to slab. */
  @Benchmark
  public MemorySegment memcpy() {
    MemorySegment from = nextSlab();
    return nextSlab().copyFrom(from);
  }

  private MemorySegment nextSlab() {
    slab = (slab + 1) % SLABS;
    return heap.asSlice((long) slab * RUN_BYTES, RUN_BYTES);
  }
}
