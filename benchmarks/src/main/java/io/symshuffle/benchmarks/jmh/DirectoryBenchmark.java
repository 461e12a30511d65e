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
 * A directory that holds many map outputs: what one more, and a look for one of them, costs. Tasks
 * number their map outputs one after the other, in all executors.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DirectoryBenchmark {
  private static final int SHUFFLE = 7;

  /** A number that is prime to all sizes, so that the looks jump about. */
  private static final long STRIDE = 7919;

  /** Map outputs in the directory. */
  @Param({"1000", "10000", "100000", "1000000"})
  public int outputs;

  /** Every how manieth task ran here; 1: all. */
  @Param({"1", "1000"})
  public int executors;

  private final IndexPlace place =
      new IndexPlace(OutputKind.ROWS, Tier.HOST, ControlDescriptor.BYTES, 4096);
  private Arena arena;
  private Directory directory;
  private ControlView view;
  private long next;

  /** For JMH. */
  public DirectoryBenchmark() {}

  /** Publishes all but one. */
  @Setup
  public void fill() {
    arena = Arena.ofShared();
    MemorySegment window = arena.allocate(ControlDescriptor.BYTES + 4096, Long.BYTES);
    directory = new Directory(window, SlabBacking.none());
    ControlView.create(window, Path.of("/none"));
    view = ControlView.open(window);
    for (int output = 0; output < outputs; output++) {
      directory.publish(id(output), place);
    }
  }

  /** Gives the memory back. */
  @TearDown
  public void free() {
    arena.close();
  }

  /** Publishes one more and takes it back. */
  @Benchmark
  public boolean publishAndErase() {
    MapOutputId one = id(outputs);
    directory.publish(one, place);
    return directory.erase(one);
  }

  /** Looks for one that is there. */
  @Benchmark
  public Optional<DirectoryEntry> find() {
    next = (next + STRIDE) % outputs;
    return view.find(id(next));
  }

  private MapOutputId id(long output) {
    return new MapOutputId(SHUFFLE, output * executors);
  }
}
