// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static io.symshuffle.shuffle.read.Reading.SHUFFLE;
import static io.symshuffle.shuffle.read.Reading.answered;
import static io.symshuffle.shuffle.read.Reading.asking;
import static io.symshuffle.shuffle.read.Reading.assertFetchFails;
import static io.symshuffle.shuffle.read.Reading.drain;
import static io.symshuffle.shuffle.read.Reading.executor;
import static io.symshuffle.shuffle.read.Reading.failures;
import static io.symshuffle.shuffle.read.Reading.source;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.AnswerDescriptor;
import io.symshuffle.shuffle.layout.AnswerLimit;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.MapIdRange;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.BlockTable;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.MapOutputs;
import io.symshuffle.shuffle.output.Owner;
import io.symshuffle.shuffle.output.Records;
import io.symshuffle.shuffle.output.RowOutputBuilder;
import io.symshuffle.shuffle.read.AnswerSources.Server;
import io.symshuffle.shuffle.runtime.FetchFailureKind;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.serve.BlockServer;
import io.symshuffle.shuffle.serve.Compressors;
import io.symshuffle.shuffle.serve.ServedBlock;
import io.symshuffle.shuffle.serve.TransferCompressor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;
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
        "it is missing from the answer of executor exec-0",
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
    OutputRequest asked = new OutputRequest(new Server(executor(5), true), all, sources);
    long code = all.code(true, AnswerLimit.MAX_BYTES);
    List<OutputRequest> again = new ArrayList<>();
    BlockCursor cursor =
        Reading.answered(
            plan -> {
              if (plan.asked().containsValue(asked)) {
                return answer(code, ofHost);
              }
              again.addAll(plan.asked().values());
              return answer(plan.asked().keySet().iterator().next(), ofOwner);
            },
            Map.of(code, asked),
            true,
            metrics,
            stats);
    expected.addAll(third);
    expected.addAll(second);
    drain(cursor).assertSameAs(expected);
    assertEquals(List.of(Reading.asked(Reading.only(2), Map.of(2L, source(0, 2)))), again);
    assertEquals(1, metrics.remoteBlocks, "blocks that Spark does not count, of 3 in 2 answers");
  }

  /** The owner is asked for no map output that the answer for its host contains. */
  @Test
  void ownerTellsTheSizeOfWhatIsLargerThanItsShareOfTheAnswer() throws IOException {
    Records expected = new Records();
    Records large = new Records();
    for (long mapId = 1; mapId <= 4; mapId += 3) {
      Records one = new Records();
      one.add(0, new byte[100_000]);
      owner.publish(id(mapId), List.of(one), List.of(Tier.DISK));
      large.addAll(one);
    }
    for (long mapId = 2; mapId <= 3; mapId++) {
      Records one = new Records();
      one.add(0, new byte[100]);
      owner.publish(id(mapId), List.of(one), List.of(Tier.HOST));
      expected.addAll(one);
    }
    expected.addAll(large);
    MapIdRange all = new MapIdRange(1, 4);
    OutputRequest asked =
        new OutputRequest(
            new Server(executor(5), true),
            all,
            LongStream.rangeClosed(1, 4)
                .boxed()
                .collect(Collectors.toMap(mapId -> mapId, mapId -> source(0, mapId))));
    long code = all.code(true, 1 << 16);
    TransferCompressor compressor = Compressors.of(Codec.NONE, stats);
    byte[] readable = serve(compressor, new MapIdRange(2, 3), 0, 1);
    int headBytes = AnswerDescriptor.bytes(2, 0);
    byte[] ofHost =
        ByteBuffer.allocate(readable.length)
            .put(head(all, List.of(2L, 3L), List.of(), 0))
            .put(readable, headBytes, readable.length - headBytes)
            .array();
    List<Integer> asks = new ArrayList<>();
    try (compressor) {
      BlockCursor cursor =
          Reading.answered(
              plan -> {
                if (plan.asked().containsValue(asked)) {
                  return answer(code, ofHost);
                }
                asks.add(plan.asked().size());
                return CollectionConverters.asScala(serve(compressor, plan.requests()).iterator());
              },
              Map.of(code, asked),
              true,
              metrics,
              stats);
      drain(cursor).assertSameAs(expected);
    }
    assertEquals(List.of(2, 2), asks, "requests for map outputs 1 and 4");
  }

  private static Iterator<Tuple2<BlockId, InputStream>> answer(long code, byte[] answer) {
    Tuple2<BlockId, InputStream> only =
        new Tuple2<>(
            new ShuffleBlockBatchId(SHUFFLE, code, 0, PARTITIONS),
            new ByteArrayInputStream(answer));
    return CollectionConverters.asScala(List.of(only).iterator());
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

  /**
   * Executor 5 answers for its host, and cannot read what a dead owner has on disk. Spark would
   * give up the map outputs of executor 5, again and again, if the transfer failed.
   */
  @ParameterizedTest
  @EnumSource(Codec.class)
  void dataOfADeadOwnerThatCannotBeReadFailsTheOwner(Codec codec) throws IOException {
    Records readable = new Records();
    readable.add(3, new byte[100_000]);
    owner.publish(id(1), List.of(readable), List.of(Tier.HOST));
    owner.publish(id(2), List.of(readable), List.of(Tier.DISK));
    Files.delete(owner.files().getFirst());
    owner.publish(id(3), List.of(readable), List.of(Tier.HOST));
    MapIdRange range = new MapIdRange(1, 3);
    byte[] answer;
    TransferCompressor compressor = Compressors.of(codec, stats);
    try (compressor) {
      assertThrows(
          IOException.class,
          () -> serve(Compressors.server(compressor, stats), range, AnswerLimit.MAX_BYTES, 3, 4));
      answer =
          serve(
              Compressors.server(compressor, pe -> pe == 0, stats),
              range,
              AnswerLimit.MAX_BYTES,
              3,
              4);
    }
    Map<Long, MapSource> sources = Map.of(1L, source(0, 1), 2L, source(0, 2), 3L, source(0, 3));
    long code = range.code(true, AnswerLimit.MAX_BYTES);
    OutputRequest asked = new OutputRequest(new Server(executor(5), true), range, sources);
    BlockCursor cursor =
        Reading.answered(plan -> answer(code, answer), Map.of(code, asked), true, metrics, stats);
    assertTrue(cursor.advance());
    assertFetchFails(source(0, 2), cursor::advance);
    assertEquals(1, stats.sum(ShuffleCounter.FETCHES_DAMAGED));
  }

  @Test
  void damageFailsTheMapOutputThatHasIt() throws IOException {
    for (long map = 1; map <= 3; map++) {
      Records one = new Records();
      one.add(3, new byte[] {1, 2, 3});
      owner.publish(id(map), List.of(one), List.of(Tier.HOST));
    }
    byte[] good = serve(Codec.NONE, new MapIdRange(1, 3), 3, 4);
    int head = AnswerDescriptor.bytes(3, 0);
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
    for (int bit = 0; bit < 8 * AnswerDescriptor.bytes(2, 0); bit++) {
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

  /** Spark's tracker knows only an average, and a few map outputs have most of the rows. */
  @ParameterizedTest
  @EnumSource(Codec.class)
  void asksAgainForWhatExceedsTheLimit(Codec codec, Random random) throws IOException {
    Records expected = new Records();
    List<RemoteOutputs.Sized> wanted = new ArrayList<>();
    for (long mapId = 10; mapId < 40; mapId++) {
      int longest = mapId % 5 == 0 ? 80_000 : 2_000;
      Records run = Records.random(random, 40, PARTITIONS, longest);
      owner.publish(id(mapId), List.of(run, run), List.of(Tier.HOST, Tier.DISK));
      if (mapId % 7 != 0) { // the others are of attempts that Spark has discarded
        expected.addAll(run);
        expected.addAll(run);
        wanted.add(new RemoteOutputs.Sized(source(0, mapId), 1));
      }
    }
    FetchPlan plan =
        FetchPlan.of(
            new ReadRequest(SHUFFLE, 0, Integer.MAX_VALUE, 0, PARTITIONS),
            List.of(RemoteOutputs.of(executor(0), wanted)),
            1,
            server -> Collections.emptyNavigableSet());
    List<Integer> answers = new ArrayList<>();
    TransferCompressor compressor = Compressors.of(codec, stats);
    try (compressor) {
      FetchedFrames frames =
          new FetchedFrames(
              asked -> {
                var served = serve(compressor, asked.requests());
                answers.add(served.size());
                return CollectionConverters.asScala(served.iterator());
              },
              plan,
              failures(stats),
              metrics);
      drain(cursor(frames)).assertSameAs(expected);
    }
    assertEquals(1, answers.getFirst());
    assertEquals(2, answers.size(), "the sizes that answers tell are right");
    assertEquals(wanted.size(), metrics.remoteBlocks + answers.getFirst() + answers.getLast());
  }

  /** The answers to Spark's requests; none has more bytes than Spark's fetcher was told. */
  private List<Tuple2<BlockId, InputStream>> serve(
      TransferCompressor compressor,
      List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> requests) {
    List<Tuple2<BlockId, InputStream>> served = new ArrayList<>();
    for (Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>> ofAddress : requests) {
      for (Tuple3<BlockId, Object, Object> each : CollectionConverters.asJava(ofAddress._2())) {
        ShuffleBlockBatchId id = (ShuffleBlockBatchId) each._1();
        byte[] bytes;
        try {
          bytes =
              serve(
                  compressor,
                  MapIdRange.ofCode(id.mapId()),
                  MapIdRange.maxBytes(id.mapId()),
                  id.startReduceId(),
                  id.endReduceId());
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
        assertTrue(bytes.length <= (long) each._2(), bytes.length + " bytes for " + each);
        served.add(new Tuple2<>(id, new ByteArrayInputStream(bytes)));
      }
    }
    return served;
  }

  @Test
  void answersTellTheSizesOfWhatTheyLeaveOut() throws IOException {
    int[] bytes = {30_000, 30_000, 100_000, 8};
    for (int map = 0; map < bytes.length; map++) {
      Records one = new Records();
      one.add(3, new byte[bytes[map]]);
      owner.publish(id(map), List.of(one), List.of(map == 3 ? Tier.DISK : Tier.HOST));
    }
    MapIdRange range = new MapIdRange(0, 3);
    TransferCompressor compressor = Compressors.of(Codec.NONE, stats);
    try (compressor) {
      byte[] answer = serve(compressor, range, 65_536, 3, 4);
      AnswerContents contents = AnswerContents.read(new ByteArrayInputStream(answer), range);
      assertArrayEquals(new long[] {0, 1}, contents.mapIds());
      Map<Long, Long> sizes = new TreeMap<>();
      for (long map = 2; map < 4; map++) {
        int alone = serve(Codec.NONE, Reading.only(map), 3, 4).length;
        sizes.put(map, (long) alone - AnswerDescriptor.bytes(1, 0));
      }
      assertEquals(sizes, contents.leftOut());
      MapIdRange last = new MapIdRange(2, 3);
      byte[] none = serve(compressor, last, 99_999, 3, 4);
      assertEquals(AnswerDescriptor.bytes(0, 2), none.length);
      assertEquals(sizes, AnswerContents.read(new ByteArrayInputStream(none), last).leftOut());
    }
  }

  /** An executor that never sends a map output, and tells any size. */
  @ParameterizedTest
  @ValueSource(longs = {1, 1L << 40})
  void mapOutputThatIsLeftOutAgainAndAgainFails(long bytes) {
    MapIdRange range = Reading.only(7);
    byte[] head = head(range, List.of(), List.of(7L), bytes);
    FetchPlan plan =
        FetchPlan.of(
            new ReadRequest(SHUFFLE, 0, Integer.MAX_VALUE, 0, PARTITIONS),
            List.of(
                RemoteOutputs.of(executor(0), List.of(new RemoteOutputs.Sized(source(0, 7), 100)))),
            1,
            server -> Collections.emptyNavigableSet());
    List<Long> sizes = new ArrayList<>();
    FetchedFrames frames =
        new FetchedFrames(
            asked -> {
              Tuple3<BlockId, Object, Object> only = asked.requests().getFirst()._2().head();
              sizes.add((long) only._2());
              Tuple2<BlockId, InputStream> answer =
                  new Tuple2<>(only._1(), new ByteArrayInputStream(head));
              return CollectionConverters.asScala(List.of(answer).iterator());
            },
            plan,
            failures(stats),
            metrics);
    assertEquals(
        "executor exec-0 has left it out of 6 answers",
        assertFetchFails(source(0, 7), () -> cursor(frames).advance()));
    assertEquals(6, sizes.size());
    assertTrue(sizes.getLast() >= bytes, sizes::toString);
    assertEquals(0, metrics.remoteBlocks);
  }

  /**
   * The owner leaves map outputs 8 and 9 out of its answer, and dies before it is asked again: the
   * executor knows it, or Spark's fetcher finds out.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void ownerThatDiesBeforeItIsAskedAgainFailsWhatItHasLeftOut(boolean known) throws IOException {
    Records expected = new Records();
    expected.add(3, new byte[] {1, 2, 3});
    owner.publish(id(7), List.of(expected), List.of(Tier.HOST));
    byte[] alone = serve(Codec.NONE, Reading.only(7), 3, 4);
    MapIdRange range = new MapIdRange(7, 9);
    byte[] head = head(range, List.of(7L), List.of(8L, 9L), 100);
    int ofAlone = AnswerDescriptor.bytes(1, 0);
    AtomicBoolean closed = new AtomicBoolean();
    InputStream first =
        new SequenceInputStream(
            new ByteArrayInputStream(head),
            new ByteArrayInputStream(alone, ofAlone, alone.length - ofAlone)) {
          @Override
          public void close() throws IOException {
            closed.set(true);
            super.close();
          }
        };
    FetchFailures failures = failures(stats);
    List<FetchPlan> plans = new ArrayList<>();
    FetchedFrames frames =
        new FetchedFrames(
            plan -> {
              plans.add(plan);
              ShuffleBlockBatchId id =
                  (ShuffleBlockBatchId) plan.requests().getFirst()._2().head()._1();
              if (plans.size() == 1) {
                return CollectionConverters.asScala(
                    List.of(new Tuple2<BlockId, InputStream>(id, first)).iterator());
              }
              if (known) {
                throw failures.raise(
                    FetchFailureKind.OWNER_LOST, source(0, 8), "the executor is lost", null);
              }
              return TransferCursorTest.failing(executor(0), id.mapId(), "Connection refused");
            },
            FetchPlan.of(
                new ReadRequest(SHUFFLE, 0, Integer.MAX_VALUE, 3, 4),
                List.of(
                    RemoteOutputs.of(
                        executor(0),
                        LongStream.rangeClosed(7, 9)
                            .mapToObj(id -> new RemoteOutputs.Sized(source(0, id), 10))
                            .toList())),
                1,
                server -> Collections.emptyNavigableSet()),
            failures,
            metrics);
    BlockCursor cursor = cursor(frames);
    assertTrue(cursor.advance());
    String found = assertFetchFails(source(0, 8), cursor::advance);
    assertEquals(known ? "the executor is lost" : "its transfer failed: Connection refused", found);
    assertEquals(1, stats.sum(ShuffleCounter.FETCH_FAILURES));
    assertTrue(closed.get(), "the first answer is still open");
    frames.close();
  }

  @Test
  void rejectsHeadsThatCannotBeTrue() throws IOException {
    MapIdRange range = new MapIdRange(10, 19);
    AnswerContents good = read(head(range, List.of(10L, 12L), List.of(13L, 19L), 5), range);
    assertEquals(Map.of(13L, 5L, 19L, 5L), good.leftOut());
    for (byte[] bad :
        List.of(
            head(range, List.of(10L, 12L), List.of(12L), 5),
            head(range, List.of(10L, 12L), List.of(11L), 5),
            head(range, List.of(), List.of(13L, 13L), 5),
            head(range, List.of(), List.of(14L, 13L), 5),
            head(range, List.of(), List.of(20L), 5),
            head(range, List.of(), List.of(9L), 5),
            head(range, List.of(), List.of(13L), 0),
            head(range, List.of(), List.of(13L), -1),
            head(range, List.of(), List.of(13L), AnswerLimit.MAX_BYTES + 1),
            head(range, List.of(10L), LongStream.range(11, 21).boxed().toList(), 5))) {
      assertThrows(IOException.class, () -> read(bad, range));
    }
    for (int count : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      byte[] bad = head(range, List.of(), List.of(), 0);
      ByteBuffer.wrap(bad)
          .order(ByteOrder.LITTLE_ENDIAN)
          .putInt(AnswerDescriptor.LEFT_OUT_OFFSET, count);
      assertThrows(IOException.class, () -> read(bad, range));
    }
  }

  private static AnswerContents read(byte[] head, MapIdRange range) throws IOException {
    return AnswerContents.read(new ByteArrayInputStream(head), range);
  }

  /** The head of an answer with some map outputs of one frame, and others that it leaves out. */
  private static byte[] head(MapIdRange range, List<Long> ids, List<Long> leftOut, long bytes) {
    ByteBuffer head =
        ByteBuffer.allocate(AnswerDescriptor.bytes(ids.size(), leftOut.size()))
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(AnswerDescriptor.MAGIC)
            .putInt(0)
            .putInt(ids.size())
            .putInt(leftOut.size());
    ids.forEach(mapId -> head.putInt((int) (mapId - range.first())).putInt(1));
    leftOut.forEach(mapId -> head.putInt((int) (mapId - range.first())).putLong(bytes));
    head.putInt(
        AnswerDescriptor.CRC_OFFSET,
        Crc32c.of(
            head.slice(
                AnswerDescriptor.OUTPUTS_OFFSET,
                head.capacity() - AnswerDescriptor.OUTPUTS_OFFSET)));
    return head.array();
  }

  private BlockCursor cursor(FetchedFrames frames) {
    MapOutputs none = new MapOutputs(new Windows().heap(0));
    return new TransferCursor(
        Reading.task(none, 0, Integer.MAX_VALUE, true, metrics, stats), frames);
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
    return serve(compressor, range, AnswerLimit.MAX_BYTES, start, end);
  }

  private byte[] serve(
      TransferCompressor compressor, MapIdRange range, long maxBytes, int start, int end)
      throws IOException {
    return serve(Compressors.server(compressor, stats), range, maxBytes, start, end);
  }

  private byte[] serve(BlockServer server, MapIdRange range, long maxBytes, int start, int end)
      throws IOException {
    ServedBlock block =
        server.answer(
            range, maxBytes, outputs(range), start, end, () -> owner.leases.acquire(SHUFFLE));
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
    OutputRequest asked =
        Reading.asked(
            range,
            LongStream.of(ids)
                .boxed()
                .collect(Collectors.toMap(mapId -> mapId, mapId -> source(0, mapId))));
    return answered(
        List.of(new Tuple2<>(asking(range), new ByteArrayInputStream(answer))),
        Map.of(Reading.code(range), asked),
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
