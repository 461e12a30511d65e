// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.jmh;

import io.symshuffle.shuffle.compress.Codec;
import java.util.List;
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
import org.openjdk.jmh.annotations.TearDown;

/**
 * Compresses and decompresses the blocks of a map task with rows of TPC-H; the counter shows bytes
 * of rows per second.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class PacketBenchmark {
  /** The rows. */
  @Param({"Q18", "Q3", "Q4", "Q10", "Q9"})
  public WireRows rows;

  /** The codec. */
  @Param({"NONE", "LZ4", "ZSTD"})
  public Codec codec;

  /** Bytes of data per packet. */
  @Param({"131072"})
  public int packetBytes;

  private List<WireBlock> blocks;
  private int next;

  /** Counts bytes in addition to blocks. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.OPERATIONS)
  public static class Bytes {
    /** Bytes of rows. */
    public long bytes;

    /** For JMH. */
    public Bytes() {}
  }

  /** For JMH. */
  public PacketBenchmark() {}

  /** Generates and compresses the rows. */
  @Setup
  public void generate() {
    blocks =
        WireRows.blocks(rows.byPartition()).stream()
            .map(bytes -> new WireBlock(bytes, codec, 1, packetBytes))
            .toList();
  }

  /** Releases the memory of the libraries. */
  @TearDown
  public void close() {
    blocks.forEach(WireBlock::close);
  }

  /** Compresses a block. */
  @Benchmark
  public long compress(Bytes counter) {
    WireBlock block = blocks.get(next++ % blocks.size());
    counter.bytes += block.bytes();
    return block.compress();
  }

  /** Decompresses a block to a Java array, as readers do. */
  @Benchmark
  public long decompress(Bytes counter) {
    WireBlock block = blocks.get(next++ % blocks.size());
    counter.bytes += block.bytes();
    return block.decompress();
  }
}
