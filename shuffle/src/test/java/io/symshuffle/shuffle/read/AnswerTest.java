// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static io.symshuffle.shuffle.read.Reading.SHUFFLE;
import static io.symshuffle.shuffle.read.Reading.answered;
import static io.symshuffle.shuffle.read.Reading.asking;
import static io.symshuffle.shuffle.read.Reading.assertFetchFails;
import static io.symshuffle.shuffle.read.Reading.drain;
import static io.symshuffle.shuffle.read.Reading.executor;
import static io.symshuffle.shuffle.read.Reading.source;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.AnswerDescriptor;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.MapIdRange;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.BlockTable;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.MapOutputs;
import io.symshuffle.shuffle.output.Owner;
import io.symshuffle.shuffle.output.Records;
import io.symshuffle.shuffle.output.RowOutputBuilder;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.serve.Compressors;
import io.symshuffle.shuffle.serve.ServedBlock;
import io.symshuffle.shuffle.serve.TransferCompressor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;

/** Answers with several map outputs, from their owner to a reduce task. */
@ExtendWith(SeededRandom.class)
class AnswerTest {
  private static final int PARTITIONS = 20;

  @TempDir Path disk;
  @AutoClose private final Windows windows = new Windows();
  private final ShuffleStats stats = new ShuffleStats();
  private final FakeMetrics metrics = new FakeMetrics();

  /** Bytes of each map output's runs. */
  private final Map<Long, Long> published = new HashMap<>();

  private Owner owner;

  @BeforeEach
  void start() {
    owner = Owner.add(windows, 64 << 20, disk);
  }

  @Test
  void bringsPartitionsOfAllMapOutputsInRange(Random random) throws IOException {
    Records expected = new Records();
    List<Long> wanted = new ArrayList<>();
    long mapId = MapIdRange.MAX_ID - 1_000;
    for (int i = 0; i < 30; i++) {
      Records all = publish(mapId, random);
      if (all.range(4, 17).size() > 0) {
        expected.addAll(all.range(4, 17));
        wanted.add(mapId);
      }
      mapId += 1 + random.nextInt(5);
    }
    publish(mapId + 1, random);
    long[] ids = wanted.stream().mapToLong(id -> id).toArray();
    for (Codec codec : Codec.values()) {
      drain(cursor(serve(codec, range(ids), 4, 17), range(ids), ids)).assertSameAs(expected);
      assertEquals(ids.length - 1, metrics.remoteBlocks, "blocks that Spark does not count");
      metrics.remoteBlocks = 0;
    }
    assertFalse(ControlView.open(owner.window).isLeased(SHUFFLE));
  }

  @Test
  void packetsOfCompressionSpanMapOutputs() throws IOException {
    long[] ids = LongStream.range(0, 200).toArray();
    for (long id : ids) {
      Records few = new Records();
      for (int i = 0; i < 80; i++) {
        few.add(3, ByteBuffer.allocate(32).putLong(16, id * 80 + i).array());
      }
      owner.publish(id(id), List.of(few), List.of(Tier.HOST));
    }
    int together = serve(Codec.LZ4, range(ids), 3, 4).length;
    int alone = 0;
    for (long id : ids) {
      alone += serve(Codec.LZ4, Reading.only(id), 3, 4).length;
    }
    assertTrue(together < 0.7 * alone, together + " bytes together, alone " + alone);
  }

  @Test
  void missingMapOutputFailsAlone(Random random) throws IOException {
    publish(1, random);
    publish(3, random);
    byte[] answer = serve(Codec.NONE, new MapIdRange(1, 3), 0, PARTITIONS);
    assertEquals(
        "it is missing in the answer of executor exec-0",
        assertFetchFails(
            source(0, 2), () -> cursor(answer, new MapIdRange(1, 3), 1, 2, 3).advance()));
    assertEquals(0, metrics.remoteBlocks);
  }

  /** Executor 5 answers for its host, but does not see the disk where map output 2 is. */
  @Test
  void ownerIsAskedForWhatTheAnswerForItsHostLeavesOut(Random random) throws IOException {
    Records expected = publish(1, random);
    Records third = publish(3, random);
    MapIdRange all = new MapIdRange(1, 3);
    byte[] ofHost = serve(Codec.LZ4, all, 0, PARTITIONS);
    Records second = publish(2, random);
    byte[] ofOwner = serve(Codec.LZ4, Reading.only(2), 0, PARTITIONS);
    Map<Long, MapSource> sources = Map.of(1L, source(0, 1), 2L, source(0, 2), 3L, source(0, 3));
    List<Set<Long>> leftOut = new ArrayList<>();
    FetchedFrames frames =
        new FetchedFrames(
            answers(all.code(true), ofHost, new Asked(executor(5), all, sources)),
            maps -> {
              leftOut.add(maps);
              return answers(
                  Reading.only(2).code(false),
                  ofOwner,
                  new Asked(executor(0), Reading.only(2), Map.of(2L, source(0, 2))));
            },
            Reading.failures(stats),
            metrics);
    expected.addAll(third);
    expected.addAll(second);
    drain(Reading.cursor(frames, true, metrics, stats)).assertSameAs(expected);
    assertEquals(List.of(Set.of(2L)), leftOut);
    assertEquals(1, metrics.remoteBlocks, "blocks that Spark does not count, of 3 in 2 answers");
  }

  private static FetchedFrames.Answers answers(long code, byte[] answer, Asked asked) {
    Tuple2<BlockId, InputStream> only =
        new Tuple2<>(
            new ShuffleBlockBatchId(SHUFFLE, code, 0, PARTITIONS),
            new ByteArrayInputStream(answer));
    return new FetchedFrames.Answers(
        CollectionConverters.asScala(List.of(only).iterator()), Map.of(code, asked));
  }

  @Test
  void mapOutputWithDamagedIndexIsMissing(Random random) throws IOException {
    Records first = publish(1, random);
    RowOutputBuilder damaged = owner.store.buildRows(id(2), PARTITIONS);
    Owner.list(
        damaged,
        Tier.HOST,
        ControlDescriptor.BYTES - 8,
        16,
        new BlockTable(1, new int[] {3}, new int[] {0, 2}, new int[] {0}));
    damaged.commit();
    Records third = publish(3, random);
    byte[] answer = serve(Codec.LZ4, new MapIdRange(1, 3), 0, PARTITIONS);
    assertFetchFails(source(0, 2), () -> cursor(answer, new MapIdRange(1, 3), 1, 2, 3).advance());
    first.addAll(third);
    drain(cursor(answer, new MapIdRange(1, 3), 1, 3)).assertSameAs(first);
  }

  /** The owner also has the map output of an attempt that Spark has discarded. */
  @Test
  void readsOnlyWhatItAskedFor(Random random) throws IOException {
    publish(1, random);
    Records expected = publish(2, random);
    publish(3, random);
    expected.addAll(publish(4, random));
    byte[] answer = serve(Codec.LZ4, new MapIdRange(1, 5), 0, PARTITIONS);
    drain(cursor(answer, new MapIdRange(1, 5), 2, 4)).assertSameAs(expected);
    assertEquals(1, metrics.remoteBlocks);
    assertEquals(
        published.get(2L) + published.get(4L), stats.sum(ShuffleCounter.TRANSFER_BYTES_READ));
  }

  @Test
  void damageFailsTheMapOutputThatHasIt() throws IOException {
    for (long map = 1; map <= 3; map++) {
      Records one = new Records();
      one.add(3, new byte[] {1, 2, 3});
      owner.publish(id(map), List.of(one), List.of(Tier.HOST));
    }
    byte[] good = serve(Codec.NONE, new MapIdRange(1, 3), 3, 4);
    int head = AnswerDescriptor.bytes(3);
    int frame = 24 + 16;
    assertEquals(head + 3 * frame, good.length);
    for (int map = 0; map < 3; map++) {
      byte[] bad = good.clone();
      bad[head + map * frame + 24 + 9] ^= 1;
      BlockCursor cursor = cursor(bad, new MapIdRange(1, 3), 1, 2, 3);
      for (int before = 0; before < map; before++) {
        assertTrue(cursor.advance());
      }
      assertFetchFails(source(0, map + 1), cursor::advance);
      BlockCursor cut =
          cursor(Arrays.copyOf(good, head + map * frame), new MapIdRange(1, 3), 1, 2, 3);
      for (int before = 0; before < map; before++) {
        assertTrue(cut.advance());
      }
      assertFetchFails(source(0, map + 1), cut::advance);
    }
  }

  @Test
  void everyFlippedBitOfTheHeadFails(Random random) throws IOException {
    publish(1, random);
    publish(7, random);
    byte[] good = serve(Codec.NONE, new MapIdRange(1, 9), 0, PARTITIONS);
    for (int bit = 0; bit < 8 * AnswerDescriptor.bytes(2); bit++) {
      byte[] bad = good.clone();
      bad[bit / 8] ^= (byte) (1 << (bit % 8));
      String found =
          assertFetchFails(source(0, 1), () -> cursor(bad, new MapIdRange(1, 9), 1, 7).advance());
      assertTrue(found.startsWith("its transfer failed: "), found);
    }
  }

  /** Compression has no memory for the answer, whose data is partly on disk. */
  @Test
  void answerLargerThanMemoryIsSentAsItIs(Random random) throws IOException {
    Records expected = new Records();
    long[] ids = LongStream.range(0, 40).toArray();
    for (long id : ids) {
      Records many = new Records();
      for (int i = 0; i < 1_000; i++) {
        many.add(random.nextInt(PARTITIONS), new byte[60]);
      }
      owner.publish(id(id), List.of(many, many), List.of(Tier.HOST, Tier.DISK));
      expected.addAll(many);
      expected.addAll(many);
    }
    TransferCompressor compressor = Compressors.of(Codec.LZ4, 10_000, stats);
    try (compressor) {
      drain(cursor(serve(compressor, range(ids), 0, PARTITIONS), range(ids), ids))
          .assertSameAs(expected);
      assertEquals(0, Compressors.waitingBytes(compressor));
    }
    assertEquals(ids.length, owner.files().size());
  }

  private Records publish(long mapId, Random random) throws IOException {
    List<Records> runs = new ArrayList<>();
    List<Tier> tiers = new ArrayList<>();
    Records all = new Records();
    for (int r = random.nextInt(3); r >= 0; r--) {
      Records run = Records.random(random, 5 + random.nextInt(50), PARTITIONS, 100);
      runs.add(run);
      all.addAll(run);
      tiers.add(random.nextBoolean() ? Tier.HOST : Tier.DISK);
    }
    owner.publish(id(mapId), runs, tiers);
    published.put(mapId, runs.stream().mapToLong(Records::bytes).sum());
    return all;
  }

  private byte[] serve(Codec codec, MapIdRange range, int start, int end) throws IOException {
    TransferCompressor compressor = Compressors.of(codec, stats);
    try (compressor) {
      return serve(compressor, range, start, end);
    }
  }

  private byte[] serve(TransferCompressor compressor, MapIdRange range, int start, int end)
      throws IOException {
    ServedBlock block =
        Compressors.server(compressor, stats)
            .answer(range, outputs(range), start, end, () -> owner.leases.acquire(SHUFFLE));
    try (InputStream in = block.createInputStream()) {
      byte[] bytes = in.readAllBytes();
      assertEquals(block.size(), bytes.length);
      return bytes;
    } finally {
      block.release();
    }
  }

  private List<MapOutput> outputs(MapIdRange range) throws IOException {
    MapOutputs all = new MapOutputs(windows.heap(0));
    List<MapOutput> outputs = new ArrayList<>();
    for (long mapId : all.published(0, SHUFFLE, range)) {
      outputs.add(all.find(0, id(mapId)).orElseThrow());
    }
    return outputs;
  }

  /** A cursor over the answer for a range, of which the task reads these map outputs. */
  private BlockCursor cursor(byte[] answer, MapIdRange range, long... ids) {
    Asked asked =
        new Asked(
            executor(0),
            range,
            LongStream.of(ids)
                .boxed()
                .collect(Collectors.toMap(mapId -> mapId, mapId -> source(0, mapId))));
    return answered(
        List.of(new Tuple2<>(asking(range), new ByteArrayInputStream(answer))),
        Map.of(range.code(false), asked),
        true,
        metrics,
        stats);
  }

  private static MapIdRange range(long... ids) {
    return new MapIdRange(ids[0], ids[ids.length - 1]);
  }

  private static MapOutputId id(long mapId) {
    return new MapOutputId(SHUFFLE, mapId);
  }
}
