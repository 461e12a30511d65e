// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.core.PeTable;
import java.util.ArrayList;
import java.util.HashMap;
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

/**
 * The blocks that a reduce task fetches through Spark's block transfer; it reads all others in
 * place.
 *
 * @param remote the blocks for Spark's fetcher, by address, as the tracker returned them
 * @param remoteSources the map outputs among {@code remote}, by map task id
 */
record ReadPlan(
    List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> remote,
    Map<Long, MapSource> remoteSources) {
  ReadPlan {
    requireNonNull(remote, "remote is null");
    requireNonNull(remoteSources, "remoteSources is null");
  }

  /**
   * Splits the blocks that the tracker returned.
   *
   * @param blocks the tracker's result: for each address its non-empty blocks, grouped by map task
   * @param pes maps executors to PEs
   * @param readsInPlace whether a PE's blocks may be read in place
   * @param local collects the map outputs that are read in place
   */
  static ReadPlan of(
      Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks,
      PeTable pes,
      IntPredicate readsInPlace,
      LocalReads local) {
    ReadPlan plan = new ReadPlan(new ArrayList<>(), new HashMap<>());
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
