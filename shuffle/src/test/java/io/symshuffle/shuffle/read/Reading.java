// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.symshuffle.heap.host.WindowCopies;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.fixture.FatalErrors;
import io.symshuffle.shuffle.layout.AnswerDescriptor;
import io.symshuffle.shuffle.layout.AnswerLimit;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.MapIdRange;
import io.symshuffle.shuffle.output.MapOutputs;
import io.symshuffle.shuffle.output.OutputLookup;
import io.symshuffle.shuffle.output.Records;
import io.symshuffle.shuffle.read.AnswerSources.Server;
import io.symshuffle.shuffle.runtime.PeerPages;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.spark.FetchFailed;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.unsafe.Platform;
import org.junit.jupiter.api.function.Executable;
import scala.Option;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Helpers for tests of the reduce side. */
public final class Reading {
  /** The shuffle that is read. */
  public static final int SHUFFLE = 6;

  /** The partition that fetch failures name. */
  public static final int FIRST_PARTITION = 2;

  static {
    // Hundreds of fetches are expected to fail.
    Configurator.setLevel(FetchFailures.class, Level.ERROR);
  }

  private Reading() {}

  /** The executor of a PE. */
  public static BlockManagerId executor(int pe) {
    return BlockManagerId.apply("exec-" + pe, "host-" + pe, 7_000 + pe, Option.empty());
  }

  /** Map task {@code mapId}, which ran on the executor of a PE. */
  public static MapSource source(int pe, long mapId) {
    return new MapSource(executor(pe), mapId, (int) mapId + 100);
  }

  public static FetchFailures failures(ShuffleStats stats) {
    return new FetchFailures(SHUFFLE, FIRST_PARTITION, stats);
  }

  /** Failures of another shuffle than {@link #SHUFFLE}. */
  public static FetchFailures failures(int shuffleId, int firstPartition, ShuffleStats stats) {
    return new FetchFailures(shuffleId, firstPartition, stats);
  }

  /** The records of all blocks of a cursor, in order. */
  public static Records drain(BlockCursor cursor) {
    Records records = new Records();
    while (cursor.advance()) {
      byte[] block = new byte[Math.toIntExact(cursor.limit - cursor.position)];
      Platform.copyMemory(
          cursor.object, cursor.position, block, Platform.BYTE_ARRAY_OFFSET, block.length);
      records.parse(cursor.partition, ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN));
    }
    return records;
  }

  /**
   * Asserts that the call fails with a fetch failure for this map output.
   *
   * @return the reason in the message
   */
  public static String assertFetchFails(MapSource source, Executable call) {
    FetchFailedException thrown = assertThrows(FetchFailedException.class, call);
    FatalErrors.assertNone(thrown);
    FetchFailed reason = assertInstanceOf(FetchFailed.class, thrown.toTaskFailedReason());
    assertEquals(source.address(), reason.bmAddress());
    assertEquals(SHUFFLE, reason.shuffleId());
    assertEquals(source.mapId(), reason.mapId());
    assertEquals(source.mapIndex(), reason.mapIndex());
    assertEquals(FIRST_PARTITION, reason.reduceId());
    assertEquals(
        "map output %d of shuffle %d of executor %s on %s cannot be read (from partition %d): "
            .formatted(
                source.mapId(),
                SHUFFLE,
                source.address().executorId(),
                source.address().hostPort(),
                FIRST_PARTITION),
        thrown.getMessage().replaceFirst("(cannot be read .*?: )(?s).*", "$1"));
    return thrown.getMessage().replaceFirst(".*? cannot be read .*?: ", "");
  }

  /** Waits until the garbage collector finds that nothing refers to an object. */
  static void awaitCollected(WeakReference<?> object) {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> {
              System.gc();
              return object.refersTo(null);
            });
  }

  /** Creates a task that reads partitions {@code start} to {@code end - 1} of all map tasks. */
  public static ReadTask task(
      OutputLookup outputs,
      int start,
      int end,
      boolean verify,
      ShuffleReadMetricsReporter metrics,
      ShuffleStats stats) {
    return task(outputs, start, end, verify, metrics, stats, Optional.empty());
  }

  /** As above, on a machine where heaps are copied instead of mapped if there are copies. */
  public static ReadTask task(
      OutputLookup outputs,
      int start,
      int end,
      boolean verify,
      ShuffleReadMetricsReporter metrics,
      ShuffleStats stats,
      Optional<WindowCopies> copies) {
    return new ReadTask(
        new ReadRequest(SHUFFLE, 0, Integer.MAX_VALUE, start, end),
        outputs,
        verify,
        metrics,
        stats,
        PeerPages.unlimited(),
        copies,
        failures(stats));
  }

  /** A range with one map task. */
  public static MapIdRange only(long mapId) {
    return new MapIdRange(mapId, mapId);
  }

  /** The code that asks for all map outputs in a range, of any size. */
  static long code(MapIdRange range) {
    return range.code(false, AnswerLimit.MAX_BYTES);
  }

  /** The block id that asks for one map output, or for all in a range. */
  public static BlockId asking(MapIdRange range) {
    return new ShuffleBlockBatchId(SHUFFLE, code(range), 0, 1);
  }

  /** What PE 0 was asked for. */
  static OutputRequest asked(MapIdRange range, Map<Long, MapSource> sources) {
    return new OutputRequest(new Server(executor(0), false), range, sources);
  }

  /** Frames of answers as Spark's fetcher returns them. */
  private static FetchedFrames frames(
      List<Tuple2<BlockId, InputStream>> answers,
      Map<Long, OutputRequest> asked,
      FetchFailures failures,
      ShuffleReadMetricsReporter metrics) {
    return frames(
        plan -> CollectionConverters.asScala(answers.iterator()), asked, failures, metrics);
  }

  private static FetchedFrames frames(
      FetchedFrames.Fetcher fetcher,
      Map<Long, OutputRequest> asked,
      FetchFailures failures,
      ShuffleReadMetricsReporter metrics) {
    return new FetchedFrames(
        fetcher,
        new FetchPlan(new ReadRequest(SHUFFLE, 0, Integer.MAX_VALUE, 0, 1), List.of(), asked),
        failures,
        metrics);
  }

  /** What was asked for, if each answer is to have one map output; by the code. */
  static Map<Long, OutputRequest> oneByOne(Map<Long, MapSource> sources) {
    return sources.entrySet().stream()
        .collect(
            Collectors.toMap(
                each -> code(only(each.getKey())),
                each ->
                    new OutputRequest(
                        new Server(each.getValue().address(), false),
                        only(each.getKey()),
                        Map.of(each.getKey(), each.getValue()))));
  }

  /** The frames in answers as Spark's fetcher returns them, each with one map output. */
  public static FetchedFrames frames(
      List<Tuple2<BlockId, InputStream>> answers,
      Map<Long, MapSource> sources,
      FetchFailures failures) {
    return frames(answers, oneByOne(sources), failures, new FakeMetrics());
  }

  /**
   * The frames of map outputs of one executor, of which Spark's tracker knows no sizes.
   *
   * @param fetcher answers Spark's requests
   */
  public static FetchedFrames fetched(
      Function<
              List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>>,
              Iterator<Tuple2<BlockId, InputStream>>>
          fetcher,
      List<MapSource> wanted,
      int partitions,
      FetchFailures failures) {
    FetchPlan plan =
        FetchPlan.of(
            new ReadRequest(SHUFFLE, 0, Integer.MAX_VALUE, 0, partitions),
            List.of(
                RemoteOutputs.of(
                    wanted.getFirst().address(),
                    wanted.stream().map(map -> new RemoteOutputs.Sized(map, 1)).toList())),
            1,
            server -> Collections.emptyNavigableSet());
    return new FetchedFrames(
        asked -> fetcher.apply(asked.requests()), plan, failures, new FakeMetrics());
  }

  /** How many frames an answer has, according to its head, and their bytes. */
  public record Frames(int count, byte[] bytes) {
    /** The frames of an answer to a request for these map outputs. */
    public static Frames of(byte[] answer, MapIdRange asked) throws IOException {
      AnswerContents contents = AnswerContents.read(new ByteArrayInputStream(answer), asked);
      return new Frames(
          contents.allFrames(),
          Arrays.copyOfRange(
              answer,
              AnswerDescriptor.bytes(contents.mapIds().length, contents.leftOut().size()),
              answer.length));
    }
  }

  /** The answer with one map output that has these frames. */
  public static byte[] answer(int frames, byte[] ofFrames) {
    ByteBuffer answer =
        ByteBuffer.allocate(AnswerDescriptor.bytes(1, 0) + ofFrames.length)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(AnswerDescriptor.MAGIC)
            .putInt(0)
            .putInt(1)
            .putInt(0)
            .putInt(0)
            .putInt(frames);
    answer.putInt(
        AnswerDescriptor.CRC_OFFSET,
        Crc32c.of(
            answer.slice(
                AnswerDescriptor.OUTPUTS_OFFSET,
                AnswerDescriptor.bytes(1, 0) - AnswerDescriptor.OUTPUTS_OFFSET)));
    return answer.put(ofFrames).array();
  }

  /** A cursor over answers as Spark's fetcher returns them, each with one map output. */
  public static BlockCursor transferred(
      List<Tuple2<BlockId, InputStream>> answers,
      Map<Long, MapSource> sources,
      boolean verify,
      ShuffleStats stats) {
    return answered(answers, oneByOne(sources), verify, new FakeMetrics(), stats);
  }

  /** A cursor over answers as Spark's fetcher returns them. */
  static BlockCursor answered(
      List<Tuple2<BlockId, InputStream>> answers,
      Map<Long, OutputRequest> asked,
      boolean verify,
      FakeMetrics metrics,
      ShuffleStats stats) {
    return answered(
        plan -> CollectionConverters.asScala(answers.iterator()), asked, verify, metrics, stats);
  }

  /** A cursor over answers as they are fetched. */
  static BlockCursor answered(
      FetchedFrames.Fetcher fetcher,
      Map<Long, OutputRequest> asked,
      boolean verify,
      FakeMetrics metrics,
      ShuffleStats stats) {
    FetchedFrames frames = frames(fetcher, asked, failures(stats), metrics);
    MapOutputs none = new MapOutputs(new Windows().heap(0));
    return new TransferCursor(task(none, 0, Integer.MAX_VALUE, verify, metrics, stats), frames);
  }
}
