// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.shuffle.runtime.PeTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The map outputs that a reduce task fetches through Spark's block transfer; it reads all others in
 * place.
 *
 * @param remote these map outputs, in the order in which the tracker returned their owners
 * @param partial whether the task reads other map outputs of the same owners in place
 */
public record ReadPlan(List<RemoteOutputs> remote, boolean partial) {

  /**
   * Orders what the tracker returned: first this executor's own blocks, then the others, of which
   * each task starts with a different one. The tracker's order is the same for all tasks. If all
   * kept to it, they would read from the same executor at the same time; and if several executors
   * lost their data, all would fail at the same one, so that Spark would need one attempt of the
   * stage per executor to notice.
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
   * @param readsInPlace whether a PE's blocks may be read in place
   * @param local adds a map output to those that are read in place, unless some of its data cannot
   *     be: it is then fetched through Spark's block transfer
   */
  static ReadPlan of(
      Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks,
      PeTable pes,
      IntPredicate readsInPlace,
      Predicate<LocalSource> local) {
    List<RemoteOutputs> remote = new ArrayList<>();
    boolean partial = false;
    while (blocks.hasNext()) {
      Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>> ofAddress = blocks.next();
      BlockManagerId address = ofAddress._1();
      List<RemoteOutputs.Sized> maps = maps(address, ofAddress._2());
      OptionalInt pe = pes.findPe(address.executorId());
      List<RemoteOutputs.Sized> fetched = new ArrayList<>(maps);
      if (pe.isPresent() && readsInPlace.test(pe.getAsInt())) {
        fetched.removeIf(each -> local.test(new LocalSource(each.map(), pe.getAsInt())));
      }
      if (!fetched.isEmpty()) {
        remote.add(RemoteOutputs.of(address, fetched));
        partial |= fetched.size() < maps.size();
      }
    }
    return new ReadPlan(remote, partial);
  }

  /** The map outputs in what the tracker returned for an address. */
  static List<RemoteOutputs.Sized> maps(
      BlockManagerId address, Seq<Tuple3<BlockId, Object, Object>> blocks) {
    List<RemoteOutputs.Sized> maps = new ArrayList<>();
    Iterator<Tuple3<BlockId, Object, Object>> each = blocks.iterator();
    while (each.hasNext()) {
      Tuple3<BlockId, Object, Object> block = each.next();
      long mapId = ((ShuffleBlockId) block._1()).mapId();
      long bytes = (long) block._2();
      if (!maps.isEmpty() && maps.getLast().map().mapId() == mapId) {
        bytes += maps.removeLast().bytes();
      }
      maps.add(new RemoteOutputs.Sized(new MapSource(address, mapId, (int) block._3()), bytes));
    }
    return maps;
  }
}
