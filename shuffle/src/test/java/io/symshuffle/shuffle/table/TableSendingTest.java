// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.PinnedPool;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.shuffle.layout.MapIdRange;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.read.FetchedFrames;
import io.symshuffle.shuffle.read.MapSource;
import io.symshuffle.shuffle.read.Reading;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.serve.BlockServer;
import io.symshuffle.shuffle.serve.SendOptions;
import io.symshuffle.shuffle.serve.ServedBlock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Tables that travel from the GPU of one host to that of another, through pinned memory. */
class TableSendingTest extends TableRoundTrip {
  private static final long PAGE = PinnedPool.PAGE_BYTES;
  private static final Duration LIMIT = Duration.ofMinutes(10);

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4})
  void tablesOfEveryTierArrive(int pages) throws Exception {
    int map = 0;
    List<Written> written = new ArrayList<>();
    while (!tiersOf(1, map).contains(Tier.DISK)) {
      map++;
      written.addAll(write(1, map, map, 1, 40_000));
    }
    BlockServer server = server(pages * PAGE);
    try (server) {
      for (int m = 1; m <= map; m++) {
        assemble(0, transferred(m, served(server, m, 0, PARTITIONS)));
      }
      assertEquals(0, server.pinnedBytes() / (3 * PAGE), "more than a page of each thread");
    }
    assertSame(written, engines[0]);
    assertEquals(pages == 0 ? 0 : deviceBytes(map), stats.sum(ShuffleCounter.BYTES_STAGED));
    assertEquals(0, stats.sum(ShuffleCounter.BLOCKS_NOT_STAGED));
    assertEquals(0, engines[0].open() + engines[1].open());
  }

  @Test
  void rangesOfPartitionsArrive() throws Exception {
    List<Written> written = write(1, 1, 1, 3, 30_000);
    BlockServer server = server(4 * PAGE);
    try (server) {
      for (int p = 0; p < PARTITIONS; p += 2) {
        int end = Math.min(p + 2, PARTITIONS);
        byte[] bytes = served(server, 1, p, end);
        if (bytes.length > 0) {
          assemble(0, transferred(1, bytes));
        }
      }
    }
    assertSame(written, engines[0]);
  }

  /** Spark's tracker knows only an average, and a map output has more than the limit. */
  @ParameterizedTest
  @CsvSource({"0, false", "4, false", "4, true"})
  void tablesBeyondTheLimitOfAnAnswerArriveLater(int pages, boolean packs) throws Exception {
    List<Written> written = new ArrayList<>();
    List<MapSource> wanted = new ArrayList<>();
    for (int map = 1; map <= 4; map++) {
      written.addAll(write(1, map, map, 2, map % 2 == 0 ? 60_000 : 10_000));
      wanted.add(source(map));
    }
    BlockServer server = server(pages * PAGE, packs);
    try (server) {
      FetchedFrames frames =
          Reading.fetched(
              requests -> answers(server, requests),
              wanted,
              PARTITIONS,
              Reading.failures(9, 0, stats));
      TableTransfer tables = new TableTransfer(frames, memory, true, stats);
      assemble(0, new TableBatch.Cutter(tables, Long.MAX_VALUE, () -> false).next());
      assertEquals(0, pools[0].usedBytes(), "a page is kept until the task ends");
    }
    assertSame(written, engines[0]);
  }

  /** The answers to Spark's requests; none has more bytes than Spark's fetcher was told. */
  private scala.collection.Iterator<Tuple2<BlockId, InputStream>> answers(
      BlockServer server,
      List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> requests) {
    List<Tuple2<BlockId, InputStream>> answers = new ArrayList<>();
    for (Tuple3<BlockId, Object, Object> each :
        CollectionConverters.asJava(requests.getFirst()._2())) {
      long code = ((ShuffleBlockBatchId) each._1()).mapId();
      MapIdRange range = MapIdRange.ofCode(code);
      try {
        List<MapOutput> outputs = new ArrayList<>();
        for (long map = range.first(); map <= range.last(); map++) {
          outputs.add(find(1, 1, (int) map).orElseThrow());
        }
        ServedBlock block =
            server.answer(
                range,
                MapIdRange.maxBytes(code),
                outputs,
                0,
                PARTITIONS,
                () -> owners[1].leases.acquire(9));
        try (InputStream in = block.createInputStream()) {
          byte[] bytes = in.readAllBytes();
          assertTrue(bytes.length <= (long) each._2(), bytes.length + " bytes for " + each);
          answers.add(new Tuple2<>(each._1(), new ByteArrayInputStream(bytes)));
        } finally {
          block.release();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return CollectionConverters.asScala(answers.iterator());
  }

  @Test
  void blocksOfOneRequestAreStagedTogether() throws Exception {
    for (int map = 1; map <= 4; map++) {
      write(1, map, map, 1, 20_000);
    }
    BlockServer server = server(4 * PAGE);
    try (server) {
      FakeLibraries.script(folder.resolve("cuda-1"), "hold");
      List<ServedBlock> blocks = new ArrayList<>();
      for (int map = 1; map <= 4; map++) {
        blocks.add(block(server, map, 0, PARTITIONS));
      }
      FakeLibraries.script(folder.resolve("cuda-1"));
      for (ServedBlock each : blocks) {
        assertTrue(each.size() > 0);
        each.release();
      }
    }
    assertEquals(deviceBytes(4), stats.sum(ShuffleCounter.BYTES_STAGED));
    assertTrue(stats.sum(ShuffleCounter.SEND_COPY_NANOS) > 0);
    assertTrue(stats.sum(ShuffleCounter.SEND_WAIT_NANOS) > 0);
  }

  /** Readers that do not take their blocks leave no pinned memory to others. */
  @Test
  void blockIsSentAsItIsStoredWhenPinnedMemoryIsExhausted() throws Exception {
    List<Written> written = new ArrayList<>();
    List<Written> other = write(1, 1, 1, 1, 60_000);
    written.addAll(write(1, 2, 1, 1, 60_000));
    BlockServer server = server(new SendOptions(Duration.ofSeconds(2), PAGE, false));
    try (server) {
      List<ServedBlock> stalled = new ArrayList<>();
      while (stats.sum(ShuffleCounter.BLOCKS_NOT_STAGED) == 0) {
        stalled.add(block(server, 1, 0, PARTITIONS));
        assertTrue(stalled.getLast().size() > bytesOf(other));
        assertTrue(stalled.size() < 200, "pinned memory is not limited");
      }
      assemble(0, transferred(2, served(server, 2, 0, PARTITIONS)));
      assertSame(written, engines[0]);

      stalled.forEach(ServedBlock::release);
      long staged = stats.sum(ShuffleCounter.BYTES_STAGED);
      long deadline = System.nanoTime() + LIMIT.toNanos();
      do {
        assertTrue(System.nanoTime() < deadline, "memory did not come back");
        served(server, 1, 0, PARTITIONS);
      } while (stats.sum(ShuffleCounter.BYTES_STAGED) == staged);
    }
  }

  @Test
  void blockIsSentAsItIsStoredWhenPinnedMemoryIsRefused() throws Exception {
    List<Written> written = write(1, 1, 1, 1, 60_000);
    FakeLibraries.script(folder.resolve("cuda-1"), "alloc_most=100000");
    BlockServer server = server(4 * PAGE);
    try (server) {
      assemble(0, transferred(1, served(server, 1, 0, PARTITIONS)));
    }
    FakeLibraries.script(folder.resolve("cuda-1"));
    assertSame(written, engines[0]);
    assertEquals(1, stats.sum(ShuffleCounter.BLOCKS_NOT_STAGED));
  }

  @Test
  void droppedBlocksReturnTheirMemory() throws Exception {
    write(1, 1, 1, 1, 60_000);
    BlockServer server = server(PAGE);
    try (server) {
      for (int i = 0; i < 100; i++) {
        ServedBlock block = block(server, 1, 0, PARTITIONS);
        if (i % 2 == 0) {
          assertTrue(block.size() > 0);
        }
        block.release();
      }
    }
    assertEquals(0, stats.sum(ShuffleCounter.BLOCKS_NOT_STAGED));
  }

  @Test
  void mapOutputIsHandedOverWithoutTheGpu() throws Exception {
    List<Written> written = write(1, 1, 1, 2, 60_000);
    BlockServer server = server(4 * PAGE);
    byte[] handed;
    try (server) {
      ServedBlock block =
          server.serveWhole(find(1, 1, 1).orElseThrow(), () -> owners[1].leases.acquire(9));
      try (InputStream in = block.createInputStream()) {
        handed = in.readAllBytes();
      }
      block.release();
    }
    assertEquals(0, stats.sum(ShuffleCounter.BYTES_STAGED));
    assertArrayEquals(served(1), handed);
    assemble(0, transferred(1, handed));
    assertSame(written, engines[0]);
  }

  /** Pinned memory of the reader is exhausted: tables arrive in native memory. */
  @Test
  void tablesArriveWithoutPinnedMemory() throws Exception {
    pinAtMost(0);
    List<Written> written = write(1, 1, 1, 3, 30_000);
    BlockServer server = server(4 * PAGE);
    try (server) {
      assemble(0, transferred(1, served(server, 1, 0, PARTITIONS)));
    }
    assertSame(written, engines[0]);
    assertTrue(stats.sum(ShuffleCounter.RECEIVE_UNPACK_NANOS) > 0);
  }

  /** Size of the tables of PE 1's map outputs 1 to {@code last} in the DEVICE tier. */
  private long deviceBytes(int last) throws IOException {
    long bytes = 0;
    for (int map = 1; map <= last; map++) {
      for (TableRef source : batch(0, 1, map, 0, PARTITIONS).sources()) {
        bytes += source.table().tier() == Tier.DEVICE ? source.table().bytes() : 0;
      }
    }
    return bytes;
  }
}
