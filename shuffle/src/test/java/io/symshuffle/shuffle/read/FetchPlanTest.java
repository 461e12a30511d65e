// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static io.symshuffle.shuffle.read.Reading.SHUFFLE;
import static io.symshuffle.shuffle.read.Reading.executor;
import static io.symshuffle.shuffle.read.Reading.source;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.layout.AnswerDescriptor;
import io.symshuffle.shuffle.layout.AnswerLimit;
import io.symshuffle.shuffle.layout.MapIdRange;
import io.symshuffle.shuffle.read.AnswerSources.Server;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

class FetchPlanTest {
  private static final ReadRequest REQUEST = new ReadRequest(SHUFFLE, 0, Integer.MAX_VALUE, 5, 9);

  private static NavigableSet<Long> noOthers(Server server) {
    return Collections.emptyNavigableSet();
  }

  @Test
  void asksEachOwnerOnceForAllMapOutputs() {
    RemoteOutputs first = outputs(0, 100, 17, 3, 40);
    RemoteOutputs second = outputs(1, 100, 4, 18);
    FetchPlan plan = FetchPlan.of(REQUEST, List.of(first, second), 2.5, FetchPlanTest::noOthers);
    assertEquals(2, plan.requests().size());
    assertSame(first.server().address(), plan.requests().get(0)._1());
    assertEquals(List.of(new MapIdRange(3, 40)), ranges(plan, 0));
    assertEquals(List.of(new MapIdRange(4, 18)), ranges(plan, 1));
    Tuple3<BlockId, Object, Object> block = plan.requests().get(0)._2().head();
    long code = new MapIdRange(3, 40).code(false, 65_536);
    assertEquals(new ShuffleBlockBatchId(SHUFFLE, code, 5, 9), block._1());
    assertEquals(65_536L + AnswerDescriptor.bytes(0, 3), block._2());
    assertEquals(source(0, 3).mapIndex(), block._3());
    OutputRequest asked = plan.asked().get(code);
    assertEquals(Set.of(3L, 17L, 40L), asked.sources().keySet());
    assertEquals(source(0, 3), asked.first());
    assertEquals(2, plan.asked().size());
  }

  @Test
  void leavesOutMapOutputsOfOwnerThatTheTaskDoesNotRead() {
    NavigableSet<Long> all = new TreeSet<>(List.of(3L, 5L, 17L, 40L, 50L));
    FetchPlan plan = FetchPlan.of(REQUEST, List.of(outputs(0, 1, 3, 17, 40)), 1, server -> all);
    assertEquals(List.of(new MapIdRange(3, 3), new MapIdRange(17, 40)), ranges(plan, 0));
  }

  @Test
  void asksForLargeMapOutputsOneAfterTheOther() {
    long third = FetchPlan.ANSWER_BYTES / 3;
    FetchPlan plan =
        FetchPlan.of(
            REQUEST, List.of(outputs(0, third, 1, 2, 3, 4, 5, 6, 7)), 1, FetchPlanTest::noOthers);
    assertEquals(
        List.of(new MapIdRange(1, 3), new MapIdRange(4, 6), new MapIdRange(7, 7)), ranges(plan, 0));
    FetchPlan huge =
        FetchPlan.of(REQUEST, List.of(outputs(0, 1L << 40, 1, 2)), 4, FetchPlanTest::noOthers);
    assertEquals(List.of(new MapIdRange(1, 1), new MapIdRange(2, 2)), ranges(huge, 0));
    assertEquals(
        (3L << 41) + AnswerDescriptor.bytes(0, 1), huge.requests().getFirst()._2().head()._2());
  }

  @Test
  void limitsMapOutputsOfAnAnswer() {
    long[] ids = LongStream.range(0, 2L * FetchPlan.MAX_OUTPUTS + 1).toArray();
    FetchPlan plan = FetchPlan.of(REQUEST, List.of(outputs(0, 1, ids)), 1, FetchPlanTest::noOthers);
    assertEquals(3, ranges(plan, 0).size());
    assertTrue(
        plan.asked().values().stream()
            .allMatch(asked -> asked.sources().size() <= FetchPlan.MAX_OUTPUTS));
    assertEquals(
        ids.length, plan.asked().values().stream().mapToInt(a -> a.sources().size()).sum());
    FetchPlan distant =
        FetchPlan.of(
            REQUEST,
            List.of(outputs(0, 1, 7, 8 + MapIdRange.MAX_SPAN)),
            1,
            FetchPlanTest::noOthers);
    assertEquals(2, ranges(distant, 0).size());
  }

  /** Above 2,000 partitions, Spark's tracker has the average: 13 MiB look like 20 KB. */
  @ParameterizedTest
  @ValueSource(longs = {20_000, 1 << 20, 13 << 20})
  void hotPartitionCannotExceedWhatSparkKnows(long reported) {
    FetchPlan plan =
        FetchPlan.of(
            REQUEST,
            List.of(outputs(0, reported, LongStream.range(0, 200).toArray())),
            4,
            FetchPlanTest::noOthers);
    for (Tuple3<BlockId, Object, Object> block :
        CollectionConverters.asJava(plan.requests().getFirst()._2())) {
      long code = ((ShuffleBlockBatchId) block._1()).mapId();
      long head = AnswerDescriptor.bytes(0, plan.asked().get(code).sources().size());
      assertEquals((long) block._2(), MapIdRange.maxBytes(code) + head);
      long most = Math.max(FetchPlan.ANSWER_BYTES, 4 * reported);
      assertTrue(MapIdRange.maxBytes(code) <= 2 * most, block + ", but at most " + 2 * most);
    }
  }

  @Test
  void whatWasLeftOutIsAskedForWithItsSize() {
    FetchPlan plan =
        FetchPlan.ofLeftOut(
            REQUEST,
            List.of(
                outputs(0, 3_000_000, 1, 2, 3),
                outputs(1, 3L << 30, 7),
                outputs(2, 2_000_000, 1, 2, 3)),
            FetchPlanTest::noOthers);
    assertEquals(List.of(3, 1, 2), plan.requests().stream().map(each -> each._2().size()).toList());
    assertEquals(
        AnswerLimit.atLeast(3_000_000) + AnswerDescriptor.bytes(0, 1),
        plan.requests().get(0)._2().head()._2());
    // Spark streams it to a file.
    assertEquals(
        (3L << 30) + AnswerDescriptor.bytes(0, 1), plan.requests().get(1)._2().head()._2());
  }

  @Test
  void limitsAreAtMostAQuarterMoreThanWhatIsAskedFor() {
    assertEquals(65_536, AnswerLimit.atLeast(Long.MIN_VALUE));
    assertEquals(AnswerLimit.MAX_BYTES, AnswerLimit.atLeast(Long.MAX_VALUE));
    for (long bytes = 65_536; bytes <= AnswerLimit.MAX_BYTES && bytes > 0; bytes += bytes / 3) {
      long limit = AnswerLimit.atLeast(bytes);
      assertTrue(limit >= bytes && limit <= bytes + bytes / 4 + 1, bytes + ": " + limit);
      for (boolean ofHost : new boolean[] {false, true}) {
        long code = new MapIdRange(MapIdRange.MAX_ID, MapIdRange.MAX_ID).code(ofHost, bytes);
        assertEquals(limit, MapIdRange.maxBytes(code));
        assertEquals(ofHost, MapIdRange.isOfHost(code));
      }
    }
  }

  @Test
  void everyEstimateIsPositive() {
    FetchPlan plan = FetchPlan.of(REQUEST, List.of(outputs(0, 0, 1)), 4, FetchPlanTest::noOthers);
    assertTrue((long) plan.requests().getFirst()._2().head()._2() > 0);
  }

  @Test
  void codesTellRangesFromMapTasks() {
    for (MapIdRange range :
        List.of(
            new MapIdRange(0, 0),
            new MapIdRange(7, 7 + MapIdRange.MAX_SPAN),
            new MapIdRange(MapIdRange.MAX_ID, MapIdRange.MAX_ID + MapIdRange.MAX_SPAN))) {
      for (boolean ofHost : new boolean[] {false, true}) {
        for (long limit : new long[] {0, 5L << 20, AnswerLimit.MAX_BYTES}) {
          long code = range.code(ofHost, limit);
          assertTrue(MapIdRange.isCode(code));
          assertEquals(range, MapIdRange.ofCode(code));
          assertEquals(ofHost, MapIdRange.isOfHost(code));
          assertEquals(AnswerLimit.atLeast(limit), MapIdRange.maxBytes(code));
        }
      }
    }
    assertThrows(IllegalArgumentException.class, () -> MapIdRange.ofCode(MapIdRange.MAX_ID));
    assertThrows(IllegalArgumentException.class, () -> new MapIdRange(-1, 0));
    assertThrows(IllegalArgumentException.class, () -> new MapIdRange(2, 1));
    assertThrows(IllegalArgumentException.class, () -> new MapIdRange(0, MapIdRange.MAX_SPAN + 1));
  }

  private static List<MapIdRange> ranges(FetchPlan plan, int owner) {
    List<MapIdRange> ranges = new ArrayList<>();
    Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>> ofOwner =
        plan.requests().get(owner);
    CollectionConverters.asJava(ofOwner._2())
        .forEach(
            block -> ranges.add(MapIdRange.ofCode(((ShuffleBlockBatchId) block._1()).mapId())));
    return ranges;
  }

  private static RemoteOutputs outputs(int pe, long bytes, long... mapIds) {
    return RemoteOutputs.of(
        executor(pe),
        LongStream.of(mapIds)
            .mapToObj(mapId -> new RemoteOutputs.Sized(source(pe, mapId), bytes))
            .toList());
  }
}
