// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.jmh;

import io.symshuffle.shuffle.output.BlockTable;
import io.symshuffle.shuffle.write.RunBuilder;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Fills a staging buffer with rows and sorts it into a run; the counter shows rows per second. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class RunBuildingBenchmark {

  /** Bytes of a row without its header. */
  @Param({"24", "64", "200"})
  public int rowBytes;

  /** Partitions of the shuffle. */
  @Param({"8", "200", "2000"})
  public int partitions;

  /** Bytes of staging. */
  @Param({"1048576"})
  public int stagingBytes;

  /** Whether to compute the CRC32C of blocks. */
  @Param({"true", "false"})
  public boolean checksum;

  private DrawnRows drawn;
  private RunBuilder builder;

  /** Counts rows in addition to runs. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.OPERATIONS)
  public static class Rows {
    /** Rows appended and sorted. */
    public long rows;

    /** For JMH. */
    public Rows() {}
  }

  /** For JMH. */
  public RunBuildingBenchmark() {}

  /** Draws the partitions of the rows. */
  @Setup
  public void prepare() {
    drawn = new DrawnRows(rowBytes, partitions);
    builder = DrawnRows.builder(stagingBytes, partitions);
  }

  /** Builds a run. */
  @Benchmark
  public BlockTable run(Rows counter) {
    counter.rows += drawn.fill(builder);
    return builder.sort(checksum);
  }
}
