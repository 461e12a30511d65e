// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.jmh;

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
import org.openjdk.jmh.annotations.TearDown;

/**
 * The copy rate of one core, which is the baseline for everything that moves rows. 1 MiB fits into
 * the cache, 64 MiB do not; an operation copies all of it.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class MemoryCopyBenchmark {
  /** Size of the copy in MiB. */
  @Param({"1", "64"})
  public int mebibytes;

  private Arena arena;
  private MemorySegment from;
  private MemorySegment to;

  /** For JMH. */
  public MemoryCopyBenchmark() {}

  /** Touches all pages. */
  @Setup
  public void allocate() {
    arena = Arena.ofShared();
    from = arena.allocate((long) mebibytes << 20, 4096).fill((byte) 1);
    to = arena.allocate((long) mebibytes << 20, 4096).fill((byte) 2);
  }

  /** Releases the memory. */
  @TearDown
  public void free() {
    arena.close();
  }

  /** Copies once. */
  @Benchmark
  public MemorySegment copy() {
    return to.copyFrom(from);
  }
}
