// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static io.symshuffle.shuffle.read.Reading.SHUFFLE;
import static io.symshuffle.shuffle.read.Reading.answered;
import static io.symshuffle.shuffle.read.Reading.assertFetchFails;
import static io.symshuffle.shuffle.read.Reading.awaitCollected;
import static io.symshuffle.shuffle.read.Reading.drain;
import static io.symshuffle.shuffle.read.Reading.only;
import static io.symshuffle.shuffle.read.Reading.source;
import static io.symshuffle.shuffle.read.Reading.transferred;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.AnswerDescriptor;
import io.symshuffle.shuffle.layout.AnswerLimit;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.MapOutputs;
import io.symshuffle.shuffle.output.Owner;
import io.symshuffle.shuffle.output.Records;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.serve.Compressors;
import io.symshuffle.shuffle.serve.ServedBlock;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

@ExtendWith(SeededRandom.class)
class TransferCursorTest {
  private static final int PARTITIONS = 20;
  private static final int HEAD = AnswerDescriptor.bytes(1, 0);

  @TempDir Path disk;
  @AutoClose private final Windows windows = new Windows();
  private final ShuffleStats stats = new ShuffleStats();
  private final List<Tuple2<BlockId, InputStream>> fetched = new ArrayList<>();
  private final Map<Long, MapSource> sources = new HashMap<>();
  private final List<CountedStream> streams = new ArrayList<>();
  private Owner owner;

  /** Returns few bytes at a time, and records whether it was closed. */
  private static final class CountedStream extends FilterInputStream {
    boolean closed;

    CountedStream(byte[] bytes) {
      super(new ByteArrayInputStream(bytes));
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
      return super.read(to, offset, Math.min(length, 7));
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  @BeforeEach
  void start() {
    owner = Owner.add(windows, 8 << 20, disk);
  }

  @Test
  void readsBlocksOfOtherHosts(Random random) throws IOException {
    Records expected = new Records();
    long bytes = 0;
    for (int map = 0; map < 10; map++) {
      List<Records> runs = runs(random);
      Records all = publish(map, runs, random);
      int first = random.nextInt(PARTITIONS);
      int end = first + 1 + random.nextInt(PARTITIONS - first);
      if (all.range(first, end).size() == 0) {
        continue;
      }
      expected.addAll(all.range(first, end));
      bytes +=
          runs.stream()
              .mapToLong(run -> IntStream.range(first, end).mapToLong(run::bytes).sum())
              .sum();
      fetch(map, first, end, serve(map, first, end));
    }
    BlockCursor cursor = cursor(true);
    drain(cursor).assertSameAs(expected);
    assertFalse(cursor.advance());
    assertTrue(streams.stream().allMatch(stream -> stream.closed));
    assertEquals(bytes, stats.sum(ShuffleCounter.TRANSFER_BYTES_READ));
  }

  /** Spark keeps the reader until the task ends, which may have many. */
  @Test
  void keepsNoRequestsAtItsEnd(Random random) throws IOException {
    Records all = publish(1, random);
    fetch(1, 0, PARTITIONS, serve(1, 0, PARTITIONS));
    Map<Long, OutputRequest> asked = Reading.oneByOne(sources);
    BlockCursor cursor = answered(List.copyOf(fetched), asked, true, new FakeMetrics(), stats);
    drain(cursor).assertSameAs(all);
    WeakReference<Map<Long, OutputRequest>> requests = new WeakReference<>(asked);
    asked = null;
    awaitCollected(requests);
    assertFalse(cursor.advance());
  }

  @Test
  void failsFetchOnEveryFlippedBit(Random random) throws IOException {
    Records all = publish(1, random);
    byte[] good = serve(1, 0, PARTITIONS);
    for (int i = 0; i < 1_000; i++) {
      byte[] bad = good.clone();
      bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
      fetch(1, 0, PARTITIONS, bad);
      BlockCursor cursor = cursor(true);
      assertFetchFails(source(0, 1), () -> readAll(cursor));
      fetched.clear();
    }
    fetch(1, 0, PARTITIONS, good);
    drain(cursor(true)).assertSameAs(all);
  }

  /** Reads all records, which checks the partition of each. */
  private static void readAll(BlockCursor cursor) throws IOException {
    new RecordInputStream(cursor, new InPlaceAccess(null)).readAllBytes();
  }

  @Test
  void failsFetchOnTruncatedTransfer(Random random) throws IOException {
    publish(1, random);
    byte[] good = serve(1, 0, PARTITIONS);
    int length = 0;
    while (length < good.length) {
      fetch(1, 0, PARTITIONS, Arrays.copyOf(good, length));
      BlockCursor cursor = cursor(true);
      String found = assertFetchFails(source(0, 1), () -> drain(cursor));
      assertTrue(found.startsWith("its transfer failed: "), found);
      fetched.clear();
      // All lengths of short transfers, random lengths of long ones.
      length += good.length < 2_000 ? 1 : 1 + random.nextInt(1 + good.length / 1_000);
    }
  }

  @Test
  void failsFetchOnTransferTruncatedBetweenFrames() throws IOException {
    Records first = new Records();
    first.add(3, new byte[] {1});
    Records second = new Records();
    second.add(3, new byte[] {2});
    owner.publish(id(1), List.of(first, second), List.of(Tier.HOST, Tier.HOST));
    byte[] good = serve(1, 3, 4);
    assertEquals(HEAD + 2 * (24 + 16), good.length);
    fetch(1, 3, 4, Arrays.copyOf(good, HEAD + 40));
    BlockCursor cursor = cursor(true);
    assertTrue(cursor.advance());
    assertEquals(
        "its transfer failed: only 0 of 24 bytes of a frame's header",
        assertFetchFails(source(0, 1), cursor::advance));
    fetched.clear();
    // The second frame twice, although it says that no frame follows.
    byte[] doubled = good.clone();
    System.arraycopy(good, HEAD + 40, doubled, HEAD, 40);
    fetch(1, 3, 4, doubled);
    BlockCursor other = cursor(true);
    assertFetchFails(source(0, 1), other::advance);
  }

  @Test
  void failsFetchOnFrameThatClaimsTooMuchMemory() throws IOException {
    Records run = new Records();
    run.add(3, new byte[] {1});
    owner.publish(id(1), List.of(run), List.of(Tier.HOST));
    byte[] good = serve(1, 3, 4);
    for (int at = 8; at < 16; at++) {
      for (int value : new int[] {0x7F, 0x80, 0xFF}) {
        byte[] bad = good.clone();
        bad[HEAD + at] = (byte) value;
        fetch(1, 3, 4, bad);
        BlockCursor cursor = cursor(true);
        assertFetchFails(source(0, 1), cursor::advance);
        fetched.clear();
      }
    }
  }

  @Test
  void namesHostWhenFetcherFails() {
    MapSource source = source(0, 1);
    sources.put(1L, source);
    BlockManagerId otherSpelling =
        BlockManagerId.apply(source.address().executorId(), "[::1]", 7, Option.empty());
    BlockCursor cursor =
        answered(
            plan -> failing(otherSpelling, Reading.code(only(1)), "Connection closed"),
            Reading.oneByOne(sources),
            true,
            new FakeMetrics(),
            stats);
    assertEquals(
        "its transfer failed: Connection closed", assertFetchFails(source, cursor::advance));
    assertEquals(1, stats.sum(ShuffleCounter.FETCH_FAILURES));
    assertEquals(1, stats.sum(ShuffleCounter.FETCHES_TRANSFER));
  }

  /** Spark's fetcher, whose only request fails. */
  static Iterator<Tuple2<BlockId, InputStream>> failing(
      BlockManagerId server, long code, String found) {
    return CollectionConverters.asScala(
        new java.util.Iterator<>() {
          @Override
          public boolean hasNext() {
            return true;
          }

          @Override
          public Tuple2<BlockId, InputStream> next() {
            throw unchecked(
                new FetchFailedException(server, SHUFFLE, code, 0, 3, new IOException(found)));
          }
        });
  }

  /** Throws an exception that Scala's iterators do not declare. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Exception> RuntimeException unchecked(Exception e) throws E {
    throw (E) e;
  }

  @Test
  void checksHeadersWithoutChecksums(Random random) throws IOException {
    Records all = publish(1, random);
    byte[] bad = serve(1, 0, PARTITIONS);
    fetch(1, 0, PARTITIONS, bad);
    drain(cursor(false)).assertSameAs(all);
    fetched.clear();
    // The first record's length.
    bad[HEAD + 24 + 3] = 0x40;
    fetch(1, 0, PARTITIONS, bad);
    BlockCursor cursor = cursor(false);
    assertFetchFails(source(0, 1), () -> readAll(cursor));
  }

  private Records publish(long mapId, Random random) throws IOException {
    return publish(mapId, runs(random), random);
  }

  private static List<Records> runs(Random random) {
    List<Records> runs = new ArrayList<>();
    for (int r = random.nextInt(3); r >= 0; r--) {
      runs.add(Records.random(random, 1 + random.nextInt(50), PARTITIONS, 100));
    }
    return runs;
  }

  private Records publish(long mapId, List<Records> runs, Random random) throws IOException {
    List<Tier> tiers = new ArrayList<>();
    Records all = new Records();
    for (Records run : runs) {
      all.addAll(run);
      tiers.add(random.nextBoolean() ? Tier.HOST : Tier.DISK);
    }
    owner.publish(id(mapId), runs, tiers);
    return all;
  }

  private byte[] serve(long mapId, int start, int end) throws IOException {
    MapOutput output = new MapOutputs(windows.heap(0)).find(0, id(mapId)).orElseThrow();
    ServedBlock block =
        Compressors.server(Compressors.of(Codec.NONE, stats), stats)
            .answer(
                only(mapId),
                AnswerLimit.MAX_BYTES,
                List.of(output),
                start,
                end,
                () -> owner.leases.acquire(SHUFFLE));
    try (InputStream in = block.createInputStream()) {
      return in.readAllBytes();
    } finally {
      block.release();
    }
  }

  private void fetch(long mapId, int start, int end, byte[] bytes) {
    CountedStream stream = new CountedStream(bytes);
    streams.add(stream);
    sources.put(mapId, source(0, mapId));
    fetched.add(
        new Tuple2<>(
            new ShuffleBlockBatchId(SHUFFLE, Reading.code(only(mapId)), start, end), stream));
  }

  private BlockCursor cursor(boolean verify) {
    return transferred(List.copyOf(fetched), sources, verify, stats);
  }

  private static MapOutputId id(long mapId) {
    return new MapOutputId(SHUFFLE, mapId);
  }
}
