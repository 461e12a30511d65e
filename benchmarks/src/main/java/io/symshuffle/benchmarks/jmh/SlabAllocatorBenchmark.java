// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.jmh;

import io.symshuffle.heap.Slab;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.heap.SlabBacking;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/** Allocates and frees a slab in a heap of 1 GiB that contains other slabs, with holes between. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SlabAllocatorBenchmark {
  private static final long HEAP_BYTES = 1L << 30;
  private static final long NEIGHBOR_BYTES = 64 << 10;

  /** Size of the slab. */
  @Param({"4096", "1048576", "8388608"})
  public long bytes;

  /** Number of other slabs; as many holes are between them. */
  @Param({"0", "2000"})
  public int neighbors;

  private SlabAllocator allocator;

  /** For JMH. */
  public SlabAllocatorBenchmark() {}

  /** Allocates the other slabs and makes the holes. */
  @Setup
  public void fill() {
    allocator = new SlabAllocator(0, HEAP_BYTES, SlabBacking.none(), HEAP_BYTES);
    List<Slab> slabs = new ArrayList<>();
    for (int i = 0; i < 2 * neighbors; i++) {
      slabs.add(allocator.allocate(NEIGHBOR_BYTES).orElseThrow());
    }
    for (int i = 0; i < slabs.size(); i += 2) {
      allocator.free(slabs.get(i));
    }
  }

  /** One thread on an allocator. */
  @Benchmark
  public long alone() {
    return allocateAndFree();
  }

  /** Four threads on one allocator, like the tasks of an executor. */
  @Benchmark
  @Threads(4)
  public long fourThreads() {
    return allocateAndFree();
  }

  private long allocateAndFree() {
    Slab slab = allocator.allocate(bytes).orElseThrow();
    allocator.free(slab);
    return slab.offset();
  }
}
