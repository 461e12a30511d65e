// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static io.symshuffle.shuffle.read.Reading.SHUFFLE;
import static io.symshuffle.shuffle.read.Reading.executor;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.runtime.PeTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;
import org.junit.jupiter.api.Test;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

class ReadPlanTest {
  /** Executors exec-0 to exec-3 are PEs 0 to 3. */
  private static final PeTable PES =
      executor -> {
        int pe = Integer.parseInt(executor.substring("exec-".length()));
        return pe < 4 ? OptionalInt.of(pe) : OptionalInt.empty();
      };

  private final List<LocalSource> local = new ArrayList<>();

  @Test
  void readsMappedPesInPlaceAndFetchesAllOthers() {
    List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks =
        List.of(
            blocks(0, new long[] {10, 11}, 3), blocks(2, new long[] {12}, 3),
            blocks(1, new long[] {13}, 3), blocks(7, new long[] {14, 15}, 3));
    // PE 2 is on another host, and executor 7 never joined.
    ReadPlan plan = plan(blocks, 0, 1);
    assertEquals(
        List.of(
            new LocalSource(source(0, 10), 0),
            new LocalSource(source(0, 11), 0),
            new LocalSource(source(1, 13), 1)),
        local);
    assertEquals(
        List.of(
            RemoteOutputs.of(executor(2), List.of(sized(2, 12))),
            RemoteOutputs.of(executor(7), List.of(sized(7, 14), sized(7, 15)))),
        plan.remote());
    assertFalse(plan.partial());
  }

  @Test
  void keepsAddressObjectOfTracker() {
    Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>> tracked =
        blocks(0, new long[] {10}, 1);
    plan(List.of(tracked), 0);
    assertSame(tracked._1(), local.getFirst().map().address());
    RemoteOutputs remote = plan(List.of(tracked)).remote().getFirst();
    assertSame(tracked._1(), remote.server().address());
    assertSame(tracked._1(), remote.maps().getFirst().map().address());
  }

  @Test
  void fetchesWhatCannotBeReadInPlaceOfAnOwner() {
    List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks =
        List.of(blocks(0, new long[] {10, 11}, 3), blocks(1, new long[] {12}, 3));
    ReadPlan plan =
        ReadPlan.of(
            CollectionConverters.asScala(blocks.iterator()),
            PES,
            pe -> true,
            source -> source.map().mapId() != 11);
    assertEquals(List.of(RemoteOutputs.of(executor(0), List.of(sized(0, 11)))), plan.remote());
    assertTrue(plan.partial());
  }

  @Test
  void readsOwnBlocksFirst() {
    for (int task = 0; task < 10; task++) {
      List<String> order = order(5, "exec-3", task);
      assertEquals("exec-3", order.getFirst());
      assertEquals(5, order.stream().distinct().count());
    }
    assertEquals(List.of(), order(0, "exec-3", 7));
    assertEquals(List.of("exec-0"), order(1, "exec-0", 7));
    assertEquals(List.of("exec-1", "exec-0"), order(2, "exec-9", Long.MAX_VALUE));
  }

  /** If executors 1 to 4 lost their data, the first tasks report each of them. */
  @Test
  void tasksFailAtDifferentOwners() {
    Set<String> onAllExecutors = new HashSet<>();
    Set<String> onGoodExecutor = new HashSet<>();
    for (int task = 0; task < 5; task++) {
      onAllExecutors.add(firstBad(order(5, "exec-" + task, task)));
      onGoodExecutor.add(firstBad(order(5, "exec-0", 100 + task)));
    }
    Set<String> bad = Set.of("exec-1", "exec-2", "exec-3", "exec-4");
    assertEquals(bad, onAllExecutors);
    assertEquals(bad, onGoodExecutor);
  }

  private static String firstBad(List<String> order) {
    return order.stream().filter(executor -> !executor.equals("exec-0")).findFirst().orElseThrow();
  }

  /** The executors in the order of reading, of a tracker that returns them ascending. */
  private static List<String> order(int executors, String self, long task) {
    List<Tuple2<BlockManagerId, Integer>> tracked = new ArrayList<>();
    for (int pe = 0; pe < executors; pe++) {
      tracked.add(new Tuple2<>(executor(pe), pe));
    }
    List<String> order = new ArrayList<>();
    CollectionConverters.asJava(
            ReadPlan.inTurn(CollectionConverters.asScala(tracked.iterator()), self, task))
        .forEachRemaining(ofAddress -> order.add(ofAddress._1().executorId()));
    return order;
  }

  private ReadPlan plan(
      List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks, int... mapped) {
    local.clear();
    return ReadPlan.of(
        CollectionConverters.asScala(blocks.iterator()),
        PES,
        pe -> Arrays.stream(mapped).anyMatch(p -> p == pe),
        local::add);
  }

  private static MapSource source(int pe, long mapId) {
    return new MapSource(executor(pe), mapId, (int) mapId + 100);
  }

  /** A map output with three partitions. */
  private static RemoteOutputs.Sized sized(int pe, long mapId) {
    return new RemoteOutputs.Sized(source(pe, mapId), 3_000);
  }

  /** The tracker's result for one address: partitions grouped by map task. */
  private static Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>> blocks(
      int pe, long[] mapIds, int partitions) {
    List<Tuple3<BlockId, Object, Object>> blocks = new ArrayList<>();
    for (long mapId : mapIds) {
      for (int partition = 0; partition < partitions; partition++) {
        blocks.add(
            new Tuple3<>(new ShuffleBlockId(SHUFFLE, mapId, partition), 1_000L, (int) mapId + 100));
      }
    }
    return new Tuple2<>(executor(pe), CollectionConverters.asScala(blocks).toSeq());
  }
}
