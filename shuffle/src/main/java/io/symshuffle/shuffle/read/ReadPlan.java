// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.core.PeTable;
import io.symshuffle.shuffle.core.ShuffleRuntime;
import io.symshuffle.shuffle.read.HostCursor.LocalSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.IntPredicate;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * What a reduce task reads and how: map outputs whose owner's window is mapped here are read in
 * place, all others come through Spark's block transfer.
 *
 * @param local map outputs that are read in place
 * @param remote what Spark's fetcher gets, by address, as the tracker gave it
 * @param remoteSources the map outputs among {@code remote}, by map task id
 */
record ReadPlan(
    List<LocalSource> local,
    List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> remote,
    Map<Long, MapSource> remoteSources) {
  ReadPlan {
    requireNonNull(local, "local is null");
    requireNonNull(remote, "remote is null");
    requireNonNull(remoteSources, "remoteSources is null");
  }

  /**
   * Sorts what the tracker names, for a task of this executor.
   *
   * @param blocks the tracker's answer: for each address its non-empty blocks, those of one map
   *     task side by side
   */
  static ReadPlan of(
      Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks,
      ShuffleRuntime runtime) {
    String self = SparkEnv.get().executorId();
    // Our own blocks are here whatever the table says: Spark's fetcher takes a reference on a block
    // of its own executor that it never gives back, so that its lease would not end.
    PeTable pes = id -> id.equals(self) ? OptionalInt.of(runtime.myPe()) : runtime.peers().peOf(id);
    return of(blocks, pes, runtime::readsInPlace);
  }

  /**
   * Sorts what the tracker names.
   *
   * @param blocks the tracker's answer: for each address its non-empty blocks, those of one map
   *     task side by side
   * @param pes says which PE an executor is
   * @param reaches whether a PE's blocks may be read in place
   */
  static ReadPlan of(
      Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks,
      PeTable pes,
      IntPredicate reaches) {
    ReadPlan plan = new ReadPlan(new ArrayList<>(), new ArrayList<>(), new HashMap<>());
    while (blocks.hasNext()) {
      Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>> next = blocks.next();
      BlockManagerId address = next._1();
      OptionalInt pe = pes.peOf(address.executorId());
      boolean local = pe.isPresent() && reaches.test(pe.getAsInt());
      if (!local) {
        plan.remote.add(next);
      }
      long last = Long.MIN_VALUE;
      Iterator<Tuple3<BlockId, Object, Object>> ofAddress = next._2().iterator();
      while (ofAddress.hasNext()) {
        Tuple3<BlockId, Object, Object> block = ofAddress.next();
        ShuffleBlockId id = (ShuffleBlockId) block._1();
        if (id.mapId() == last) {
          continue;
        }
        last = id.mapId();
        MapSource source = new MapSource(address, id.mapId(), (int) block._3());
        if (local) {
          plan.local.add(new LocalSource(source, pe.getAsInt()));
        } else {
          plan.remoteSources.put(id.mapId(), source);
        }
      }
    }
    return plan;
  }
}
