// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static io.symshuffle.shuffle.read.Reading.SHUFFLE;
import static io.symshuffle.shuffle.read.Reading.asking;
import static io.symshuffle.shuffle.read.Reading.assertFetchFails;
import static io.symshuffle.shuffle.read.Reading.drain;
import static io.symshuffle.shuffle.read.Reading.only;
import static io.symshuffle.shuffle.read.Reading.source;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.AnswerDescriptor;
import io.symshuffle.shuffle.layout.AnswerLimit;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutputs;
import io.symshuffle.shuffle.output.Owner;
import io.symshuffle.shuffle.output.Records;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.serve.Compressors;
import io.symshuffle.shuffle.serve.ServedBlock;
import io.symshuffle.shuffle.serve.TransferCompressor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import scala.Tuple2;

/** Blocks that their owner compresses and a reader on another host decompresses. */
@ExtendWith(SeededRandom.class)
class CompressedTransferTest {
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private static final int PARTITIONS = 20;
  private static final long MAP = 1;

  @TempDir Path disk;
  private final Windows windows = new Windows();
  private final ShuffleStats stats = new ShuffleStats();
  private final List<TransferCompressor> compressors = new ArrayList<>();
  private Owner owner;

  /** Bytes of the records that {@link #publish} published. */
  private long published;

  @BeforeEach
  void start() {
    owner = Owner.add(windows, 64 << 20, disk);
  }

  @AfterEach
  void end() {
    compressors.forEach(TransferCompressor::close);
    windows.close();
  }

  @ParameterizedTest
  @EnumSource(
      value = Codec.class,
      names = {"LZ4", "ZSTD"})
  void readerGetsSameRowsFromFewerBytes(Codec codec, Random random) throws IOException {
    Records all = publish(random, 4, 5_000);
    TransferCompressor compressor = compressor(codec, Long.MAX_VALUE);
    for (int first = 0; first < PARTITIONS; first += 7) {
      int end = Math.min(PARTITIONS, first + 7);
      byte[] plain = serve(compressor(Codec.NONE, Long.MAX_VALUE), first, end);
      byte[] wire = serve(compressor, first, end);
      assertTrue(wire.length < plain.length / 2, () -> wire.length + " of " + plain.length);
      drain(cursor(wire)).assertSameAs(all.range(first, end));
    }
    assertEquals(published, stats.sum(ShuffleCounter.BYTES_COMPRESSED));
  }

  @Test
  void compressesManySmallBlocksOfPartitionTogether(Random random) throws IOException {
    Records all = publish(random, 60, 400);
    byte[] wire = serve(compressor(Codec.LZ4, Long.MAX_VALUE), 3, 4);
    byte[] oneRun = publishAndServe(all);
    assertTrue(
        wire.length < 1.5 * oneRun.length,
        () -> "%d bytes for many runs, %d for one".formatted(wire.length, oneRun.length));
  }

  @ParameterizedTest
  @EnumSource(
      value = Codec.class,
      names = {"LZ4", "ZSTD"})
  void transfersFramesLargerThanPacket(Codec codec, Random random) throws IOException {
    Records large = new Records();
    for (int i = 0; i < 60_000; i++) {
      large.add(3, row(random));
    }
    large.add(3, new byte[3_000_000]);
    large.add(4, new byte[5_000_001]);
    large.add(5, row(random));
    owner.publish(id(), List.of(large, large), List.of(Tier.HOST, Tier.DISK));
    Records expected = new Records();
    expected.addAll(large);
    expected.addAll(large);
    byte[] wire = serve(compressor(codec, Long.MAX_VALUE), 0, PARTITIONS);
    drain(cursor(wire)).assertSameAs(expected);
  }

  @Test
  void sendsRandomBytesUncompressed(Random random) throws IOException {
    Records noise = new Records();
    byte[] bytes = new byte[100_000];
    random.nextBytes(bytes);
    noise.add(3, bytes);
    owner.publish(id(), List.of(noise), List.of(Tier.HOST));
    byte[] plain = serve(compressor(Codec.NONE, Long.MAX_VALUE), 3, 4);
    assertEquals(plain.length, serve(compressor(Codec.LZ4, Long.MAX_VALUE), 3, 4).length);
  }

  @Test
  void returnsMemoryAndLeaseAfterSending(Random random) throws IOException {
    publish(random, 2, 5_000);
    TransferCompressor compressor = compressor(Codec.LZ4, Long.MAX_VALUE);
    ServedBlock block = block(compressor, 0, PARTITIONS);
    long size = block.size();
    assertEquals(size - AnswerDescriptor.bytes(1, 0), Compressors.waitingBytes(compressor));
    assertEquals(size, block.nioByteBuffer().remaining());
    block.release();
    assertEquals(0, Compressors.waitingBytes(compressor));
  }

  @Test
  void returnsMemoryOfDroppedBlocks(Random random) throws Exception {
    publish(random, 2, 5_000);
    TransferCompressor compressor = compressor(Codec.LZ4, Long.MAX_VALUE);
    assertTrue(block(compressor, 0, PARTITIONS).size() > 0);
    await()
        .atMost(LIMIT)
        .until(
            () -> {
              System.gc();
              return Compressors.waitingBytes(compressor) == 0;
            });
  }

  /** Spark keeps readers until their task ends, which may have many. */
  @Test
  void readersAtTheirEndKeepNoBuffers(Random random) throws IOException {
    Records all = publish(random, 4, 5_000);
    byte[] wire = serve(compressor(Codec.LZ4, Long.MAX_VALUE), 0, PARTITIONS);
    List<BlockCursor> ended = new ArrayList<>();
    long before = directBytes();
    for (int i = 0; i < 100; i++) {
      BlockCursor cursor = cursor(wire);
      drain(cursor).assertSameAs(all);
      ended.add(cursor);
    }
    await()
        .atMost(LIMIT)
        .until(
            () -> {
              System.gc();
              return directBytes() - before < 4 << 20;
            });
    ended.forEach(cursor -> assertFalse(cursor.advance()));
  }

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getTotalCapacity)
        .sum();
  }

  @Test
  void missingFileFailsTransfer(Random random) throws IOException {
    Records run = new Records();
    for (int i = 0; i < 5_000; i++) {
      run.add(3, row(random));
    }
    owner.publish(id(), List.of(run), List.of(Tier.DISK));
    Files.delete(owner.files().getFirst());
    ServedBlock block = block(compressor(Codec.LZ4, Long.MAX_VALUE), 3, 4);
    assertTrue(block.size() > 5_000 * 32);
    assertThrows(IOException.class, block::nioByteBuffer);
    block.release();
  }

  @Test
  void flippedBitsNeverGiveWrongRows(Random random) throws IOException {
    Records all = publish(random, 3, 2_000);
    byte[] good = serve(compressor(Codec.LZ4, Long.MAX_VALUE), 0, PARTITIONS);
    int failed = 0;
    for (int i = 0; i < 1_000; i++) {
      byte[] bad = good.clone();
      int at = i < 100 ? i : random.nextInt(bad.length);
      bad[at] ^= (byte) (1 << random.nextInt(8));
      Records found;
      try {
        found = drain(cursor(bad));
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        assertFetchFails(
            source(0, MAP),
            () -> {
              throw e;
            });
        failed++;
        continue;
      }
      // A match of LZ4 at another place may have the same bytes.
      found.assertSameAs(all);
    }
    assertTrue(failed > 900, failed + " of 1000 failed");
  }

  @Test
  void failsFetchOnTruncatedTransfer(Random random) throws IOException {
    publish(random, 3, 2_000);
    byte[] good = serve(compressor(Codec.LZ4, Long.MAX_VALUE), 0, PARTITIONS);
    for (int length = 0; length < good.length; length += 1 + random.nextInt(200)) {
      byte[] bad = Arrays.copyOf(good, length);
      String found = assertFetchFails(source(0, MAP), () -> drain(cursor(bad)));
      assertTrue(found.startsWith("its transfer failed: "), found);
    }
  }

  private byte[] publishAndServe(Records all) throws IOException {
    owner.store.unregister(SHUFFLE);
    owner.store.reclaim();
    owner.publish(id(), List.of(all), List.of(Tier.HOST));
    return serve(compressor(Codec.LZ4, Long.MAX_VALUE), 3, 4);
  }

  /** Publishes a map output of several runs of rows with three columns. */
  private Records publish(Random random, int runs, int rows) throws IOException {
    List<Records> all = new ArrayList<>();
    List<Tier> tiers = new ArrayList<>();
    Records sum = new Records();
    for (int r = 0; r < runs; r++) {
      Records run = new Records();
      for (int i = 0; i < rows; i++) {
        run.add(random.nextInt(PARTITIONS), row(random));
      }
      all.add(run);
      sum.addAll(run);
      published += IntStream.range(0, PARTITIONS).mapToLong(run::bytes).sum();
      tiers.add(r % 2 == 0 ? Tier.HOST : Tier.DISK);
    }
    owner.publish(id(), all, tiers);
    return sum;
  }

  private static byte[] row(Random random) {
    return ByteBuffer.allocate(32)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(0)
        .putLong(random.nextInt(6_000_000))
        .putLong(random.nextInt(50))
        .putLong(random.nextInt(1_000))
        .array();
  }

  private TransferCompressor compressor(Codec codec, long maxBytes) {
    TransferCompressor compressor = Compressors.of(codec, maxBytes, stats);
    compressors.add(compressor);
    return compressor;
  }

  private ServedBlock block(TransferCompressor compressor, int start, int end) throws IOException {
    return Compressors.server(compressor, stats)
        .answer(
            only(MAP),
            AnswerLimit.MAX_BYTES,
            List.of(new MapOutputs(windows.heap(0)).find(0, id()).orElseThrow()),
            start,
            end,
            () -> owner.leases.acquire(SHUFFLE));
  }

  private byte[] serve(TransferCompressor compressor, int start, int end) throws IOException {
    ServedBlock block = block(compressor, start, end);
    try (InputStream in = block.createInputStream()) {
      byte[] bytes = in.readAllBytes();
      assertEquals(block.size(), bytes.length);
      return bytes;
    } finally {
      block.release();
    }
  }

  private BlockCursor cursor(byte[] wire) {
    return Reading.transferred(
        List.of(new Tuple2<>(asking(only(MAP)), new ByteArrayInputStream(wire))),
        Map.of(MAP, source(0, MAP)),
        true,
        stats);
  }

  private static MapOutputId id() {
    return new MapOutputId(SHUFFLE, MAP);
  }
}
