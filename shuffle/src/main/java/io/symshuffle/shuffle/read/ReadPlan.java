// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.runtime.PeTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.IntPredicate;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The blocks that a reduce task fetches through Spark's block transfer; it reads all others in
 * place.
 *
 * @param remote the blocks for Spark's fetcher, by address, as the tracker returned them
 * @param remoteSources the map outputs among {@code remote}, by map task id, in the same order
 */
record ReadPlan(
    List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> remote,
    Map<Long, MapSource> remoteSources) {
  ReadPlan {
    requireNonNull(remote, "remote is null");
    requireNonNull(remoteSources, "remoteSources is null");
  }

  /**
   * Orders what the tracker returned: first this executor's own blocks, then the others, of which
   * each task starts with a different one. The tracker's order is the same for all tasks. If all
   * kept to it, they would read from the same executor at the same time; and if several executors
   * lost their data, all would fail at the same one, so that Spark would need one attempt of the
   * stage per executor to notice.
   *
   * @param blocks the tracker's result
   * @param self this executor's id
   * @param task the task's id
   */
  static <T> Iterator<Tuple2<BlockManagerId, T>> inTurn(
      Iterator<Tuple2<BlockManagerId, T>> blocks, String self, long task) {
    List<Tuple2<BlockManagerId, T>> own = new ArrayList<>();
    List<Tuple2<BlockManagerId, T>> others = new ArrayList<>();
    while (blocks.hasNext()) {
      Tuple2<BlockManagerId, T> ofAddress = blocks.next();
      (ofAddress._1().executorId().equals(self) ? own : others).add(ofAddress);
    }
    if (!others.isEmpty()) {
      Collections.rotate(others, -Math.floorMod(task, others.size()));
    }
    own.addAll(others);
    return CollectionConverters.asScala(own.iterator());
  }

  /**
   * Splits the blocks that the tracker returned.
   *
   * @param blocks the tracker's result, in the order of reading: for each address its non-empty
   *     blocks, grouped by map task
   * @param pes maps executors to PEs
   * @param readsInPlace whether a PE's blocks may be read in place
   * @param local collects the map outputs that are read in place
   */
  static ReadPlan of(
      Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks,
      PeTable pes,
      IntPredicate readsInPlace,
      LocalReads local) {
    ReadPlan plan = new ReadPlan(new ArrayList<>(), new LinkedHashMap<>());
    while (blocks.hasNext()) {
      Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>> ofAddress = blocks.next();
      BlockManagerId address = ofAddress._1();
      List<MapSource> maps = maps(address, ofAddress._2());
      OptionalInt pe = pes.findPe(address.executorId());
      if (pe.isEmpty()
          || !readsInPlace.test(pe.getAsInt())
          || !local.tryAdd(
              maps.stream().map(map -> new LocalSource(map, pe.getAsInt())).toList())) {
        plan.remote.add(ofAddress);
        maps.forEach(map -> plan.remoteSources.put(map.mapId(), map));
      }
    }
    return plan;
  }

  /**
   * The blocks for Spark's fetcher with other sizes.
   *
   * @param ratio by which the sizes are multiplied
   */
  List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> remote(double ratio) {
    List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> scaled = new ArrayList<>();
    for (Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>> ofAddress : remote) {
      List<Tuple3<BlockId, Object, Object>> blocks = new ArrayList<>();
      Iterator<Tuple3<BlockId, Object, Object>> each = ofAddress._2().iterator();
      while (each.hasNext()) {
        Tuple3<BlockId, Object, Object> block = each.next();
        blocks.add(new Tuple3<>(block._1(), (long) ((long) block._2() * ratio), block._3()));
      }
      scaled.add(new Tuple2<>(ofAddress._1(), CollectionConverters.asScala(blocks).toSeq()));
    }
    return scaled;
  }

  private static List<MapSource> maps(
      BlockManagerId address, Seq<Tuple3<BlockId, Object, Object>> blocks) {
    List<MapSource> maps = new ArrayList<>();
    Iterator<Tuple3<BlockId, Object, Object>> each = blocks.iterator();
    while (each.hasNext()) {
      Tuple3<BlockId, Object, Object> block = each.next();
      long mapId = ((ShuffleBlockId) block._1()).mapId();
      if (maps.isEmpty() || maps.getLast().mapId() != mapId) {
        maps.add(new MapSource(address, mapId, (int) block._3()));
      }
    }
    return maps;
  }
}
