// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.shuffle.directory.CorruptControlException;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.CorruptIndexException;
import io.symshuffle.shuffle.output.PeProbe;
import io.symshuffle.shuffle.output.RowOutput;
import io.symshuffle.shuffle.output.RunView;
import io.symshuffle.shuffle.read.BlockCursor;
import io.symshuffle.shuffle.runtime.PartWrapper;
import io.symshuffle.shuffle.runtime.ShuffleConfig;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.serve.OutputReader;
import io.symshuffle.shuffle.write.MapOutputWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.spark.unsafe.Platform;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FaultInjectionTest {
  private static final MapOutputId ID = new MapOutputId(3, 5);

  @TempDir Path base;
  private ShuffleRuntime runtime;

  @AfterEach
  void end() {
    if (runtime != null) {
      runtime.close();
    }
  }

  @Test
  void failsTheStart() {
    IOException failure = assertThrows(IOException.class, () -> start("start.fail=1"));
    assertTrue(failure.getMessage().startsWith("injected fault: start.fail"));
  }

  @Test
  void writesToDiskWhenTheHeapSeemsFull() throws IOException {
    start("allocate.full=1");
    write();
    assertEquals(Tier.DISK, find().index().run(0).tier());
  }

  @Test
  void damagesRunsInTheHeap() throws IOException {
    start("write.bit=1");
    write();
    RunView run = find().index().run(0);
    MemorySegment memory = find().hostRun(run);
    assertNotEquals(run.checksum(0), Crc32c.of(memory, run.start(0), run.size(0)));
  }

  @Test
  void failsWritesToTheHeapAndToDisk() throws IOException {
    start("write.fail=1");
    assertThrows(IOException.class, this::write);
    runtime.close();
    start("allocate.full=1,disk.fail=1");
    assertThrows(IOException.class, this::write);
    assertEquals(0, runtime.slabStats().usedBytes());
  }

  @Test
  void damagesIndexes() throws IOException {
    start("index.bit=1");
    write();
    assertThrows(CorruptIndexException.class, this::find);
  }

  @Test
  void damagesDirectoryEntries() throws IOException {
    start("published.bit=1");
    write();
    assertThrows(CorruptControlException.class, this::find);
  }

  @Test
  void failedPublishingLeavesNothingBehind() throws IOException {
    start("publish.fail=1");
    assertThrows(IOException.class, this::write);
    assertEquals(Optional.empty(), runtime.outputs().find(0, ID));
    assertEquals(0, runtime.slabStats().usedBytes());
  }

  @Test
  void damagesAndTruncatesServedBlocks() throws IOException {
    byte[] sent = {1, 2, 3, 4};
    start("serve.bit=1");
    ByteBuffer damaged =
        runtime.wrapper().wrap(OutputReader.class, data(sent)).read(Tier.HOST, 0, 4);
    assertNotEquals(ByteBuffer.wrap(sent), damaged);
    assertEquals(4, damaged.remaining());
    runtime.close();
    start("serve.truncate=1");
    OutputReader cut = runtime.wrapper().wrap(OutputReader.class, data(sent));
    assertThrows(IOException.class, () -> cut.read(Tier.HOST, 0, 4));
  }

  @Test
  void failsProbesOfOtherPes() throws IOException {
    start("probe.fail=1");
    PeProbe probe = runtime.wrapper().wrap(PeProbe.class, pe -> false);
    HeapException failure = assertThrows(HeapException.class, () -> probe.isAlive(1));
    assertTrue(failure.getMessage().startsWith("injected fault: probe.fail"));
  }

  @Test
  void erasesRunsButNoIndexes() throws IOException {
    start("seed=1");
    write();
    RowOutput output = find();
    MemorySegment run = output.hostRun(output.index().run(0));
    assertTrue(run.mismatch(MemorySegment.ofArray(new byte[(int) run.byteSize()])) >= 0);
    assertEquals(1, HeapLoss.strike(base));
    assertEquals(-1, run.mismatch(MemorySegment.ofArray(new byte[(int) run.byteSize()])));
    // The index is checked again.
    runtime.outputs().forget(ID.shuffleId());
    assertEquals(1, find().index().runs());
  }

  @Test
  void failsTheFetchOfTheBlockThatWasFound() {
    BlockCursor cursor = cursor("read.fail=1", 1);
    IllegalStateException failure = assertThrows(IllegalStateException.class, cursor::advance);
    assertTrue(failure.getMessage().startsWith("injected fault: read.fail"));
    assertFalse(cursor("read.fail=1", 0).advance(), "there is no block to fail");
    BlockCursor intact = cursor("seed=1", 1);
    assertTrue(intact.advance());
    assertEquals(8, intact.limit() - intact.position());
  }

  private void start(String faults) throws IOException {
    PartWrapper wrapper = PartWrapper.load(faults, "0", false);
    HeapFolder folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    runtime =
        ShuffleRuntime.start(
            new ShuffleConfig(1 << 20, true, true, 0),
            HostHeap.create(folder, 0, ShuffleRuntime.windowBytes(4 << 20)),
            folder.diskFolders(0),
            executor -> OptionalInt.of(0),
            new ShuffleStats(),
            Optional.empty(),
            wrapper);
  }

  private void write() throws IOException {
    MapOutputWriter output = MapOutputWriter.open(runtime, ID, 4);
    try {
      output.append(2, new byte[100], Platform.BYTE_ARRAY_OFFSET, 100);
      output.commit();
    } finally {
      output.abort();
    }
  }

  private RowOutput find() throws IOException {
    return runtime.outputs().find(0, ID).orElseThrow().rows();
  }

  private static OutputReader data(byte[] bytes) {
    return new OutputReader() {
      @Override
      public ByteBuffer read(Tier tier, long place, int count) {
        return ByteBuffer.wrap(bytes);
      }

      @Override
      public void close() {}
    };
  }

  private static BlockCursor cursor(String faults, int blocks) {
    BlockCursor cursor =
        new BlockCursor() {
          private int left = blocks;

          @Override
          public boolean advance() {
            limit = position + 8;
            return left-- > 0;
          }

          @Override
          public RuntimeException corrupt(String found) {
            throw new IllegalStateException(found);
          }
        };
    return new FaultyCursor(cursor, new Faults(FaultSpec.parse(faults), "0", false));
  }
}
