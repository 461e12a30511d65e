// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.jmh;

import io.symshuffle.heap.SlabBacking;
import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.Directory;
import io.symshuffle.shuffle.directory.DirectoryEntry;
import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.OutputKind;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
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
 * A directory with many map outputs: the cost of publishing one more and of finding one. Map output
 * IDs are consecutive across all executors.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DirectoryBenchmark {
  private static final int SHUFFLE = 7;

  /** Coprime to all sizes, so that lookups are spread. */
  private static final long STRIDE = 7919;

  /** Map outputs in the directory. */
  @Param({"1000", "10000", "100000", "1000000"})
  public int outputs;

  /** Number of executors; every n-th task ran on this one. */
  @Param({"1", "1000"})
  public int executors;

  private final IndexPlace place =
      new IndexPlace(OutputKind.ROWS, Tier.HOST, ControlDescriptor.BYTES, 4096);
  private Arena arena;
  private Directory directory;
  private ControlView view;
  private long next;

  /** Fills the directory. */
  @Setup
  public void fill() {
    arena = Arena.ofShared();
    MemorySegment window = arena.allocate(ControlDescriptor.BYTES + 4096, Long.BYTES);
    directory = new Directory(window, SlabBacking.none());
    ControlView.create(window, List.of(Path.of("/none")));
    view = ControlView.open(window);
    for (int output = 0; output < outputs; output++) {
      directory.publish(id(output), place);
    }
  }

  /** Releases the memory. */
  @TearDown
  public void free() {
    arena.close();
  }

  /** Publishes a map output and erases it. */
  @Benchmark
  public boolean publishAndErase() {
    MapOutputId one = id(outputs);
    directory.publish(one, place);
    return directory.erase(one);
  }

  /** Finds an existing map output. */
  @Benchmark
  public Optional<DirectoryEntry> find() {
    next = (next + STRIDE) % outputs;
    return view.find(id(next));
  }

  private MapOutputId id(long output) {
    return new MapOutputId(SHUFFLE, output * executors);
  }
}
