// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.jmh;

import io.symshuffle.benchmarks.launch.Folders;
import io.symshuffle.cli.pe.PeJob;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.output.BlockTable;
import io.symshuffle.shuffle.output.RowOutputBuilder;
import io.symshuffle.shuffle.runtime.PeTable;
import io.symshuffle.shuffle.runtime.ShuffleConfig;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.write.RunBuilder;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.apache.spark.unsafe.Platform;
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
 * Reads a block of 64 KiB from the host heap of a PE on this host, through the directory and the
 * index. 256 blocks are read in turn, 16 MiB in all, which exceeds most second-level caches.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class BlockReadBenchmark {
  private static final int BLOCKS = 256;
  private static final int BLOCK_BYTES = 64 << 10;
  private static final int RUN_BYTES = BLOCKS * BLOCK_BYTES;
  private static final int SHUFFLE = 7;
  private static final long MAP = 3;

  /** Bytes of a row without its header. */
  @Param({"56"})
  public int rowBytes;

  /** Whether to check the CRC32C. */
  @Param({"true", "false"})
  public boolean checksum;

  private Path base;
  private HeapFolder folder;
  private ShuffleRuntime runtime;
  private BlockReader reader;
  private int next;

  /** Publishes a map output in a new heap. */
  @Setup
  public void publish() throws IOException {
    base = Files.createTempDirectory(PeJob.sharedMemory(), "symshuffle-jmh-");
    folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    HostHeap heap = HostHeap.create(folder, 0, ShuffleRuntime.windowBytes(4L * RUN_BYTES));
    PeTable peers = executor -> OptionalInt.of(0);
    runtime =
        ShuffleRuntime.start(
            new ShuffleConfig(1 << 20, checksum, true, Long.MAX_VALUE),
            heap,
            folder.diskFolders(0),
            peers,
            new ShuffleStats());
    RowOutputBuilder output = runtime.store().buildRows(new MapOutputId(SHUFFLE, MAP), BLOCKS);
    RunBuilder builder = DrawnRows.builder(RUN_BYTES, BLOCKS);
    byte[] row = new byte[rowBytes];
    int partition = 0;
    while (builder.append(partition, row, Platform.BYTE_ARRAY_OFFSET, rowBytes)) {
      partition = (partition + 1) % BLOCKS;
    }
    BlockTable blocks = builder.sort(checksum);
    MemorySegment run = builder.run();
    output.addRun(run, blocks);
    output.commit();
    reader = new BlockReader(runtime.outputs(), SHUFFLE, MAP, 0, checksum);
  }

  /** Removes the heap from shared memory. */
  @TearDown
  public void remove() throws IOException {
    runtime.close();
    folder.remove();
    Folders.delete(base);
  }

  /** Finds a block and checks its checksum. */
  @Benchmark
  public long fetch() {
    return reader.fetch(next++ & (BLOCKS - 1));
  }
}
