// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.heap.HeapException;
import io.symshuffle.shuffle.device.DeviceRows;
import io.symshuffle.shuffle.directory.CorruptControlException;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.CorruptIndexException;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.MapOutputs;
import io.symshuffle.shuffle.output.RunView;
import io.symshuffle.shuffle.read.HostCursor.LocalSource;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Seq;

/**
 * What a reduce task reads, and how, where records may lie in GPU memory: a {@link ReadPlan} whose
 * addresses in place have been looked into. Those of which something lies in a device heap out of
 * reach come through Spark's block transfer.
 *
 * @param host map outputs with blocks in the HOST or DISK tier, which are read in place
 * @param device blocks in the DEVICE tier, those of different PEs by turns
 * @param remote what Spark's fetcher gets, by address, as the tracker gave it
 * @param remoteSources the map outputs among {@code remote}, by map task id
 */
record RowReadPlan(
    List<LocalSource> host,
    List<DeviceBlocks> device,
    List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> remote,
    Map<Long, MapSource> remoteSources) {
  RowReadPlan {
    requireNonNull(host, "host is null");
    requireNonNull(device, "device is null");
    requireNonNull(remote, "remote is null");
    requireNonNull(remoteSources, "remoteSources is null");
  }

  /** Without anything in GPU memory. */
  static RowReadPlan of(ReadPlan plan) {
    return new RowReadPlan(plan.local(), List.of(), plan.remote(), plan.remoteSources());
  }

  /** Looks map outputs up. The caller holds a lease on the shuffle. */
  static final class Planner {
    private final MapOutputs outputs;
    private final Optional<DeviceRows> rows;
    private final int myPe;
    private final int startPartition;
    private final int endPartition;
    private final FetchFailures failures;

    /**
     * A planner.
     *
     * @param rows the way to GPU memory; without it all that lies there is out of reach
     * @param myPe this executor's PE, which does not get its own blocks by block transfer
     */
    Planner(
        MapOutputs outputs,
        Optional<DeviceRows> rows,
        int myPe,
        int startPartition,
        int endPartition,
        FetchFailures failures) {
      this.outputs = requireNonNull(outputs, "outputs is null");
      this.rows = requireNonNull(rows, "rows is null").filter(DeviceRows::isUsable);
      this.myPe = myPe;
      this.startPartition = startPartition;
      this.endPartition = endPartition;
      this.failures = requireNonNull(failures, "failures is null");
    }

    /** What lies at one address. */
    private record Found(List<LocalSource> host, List<DeviceBlocks> device) {}

    /**
     * Looks into what a {@link ReadPlan} reads in place.
     *
     * @param plan by address
     * @param blocks the tracker's answer for the addresses that the plan reads in place
     */
    RowReadPlan plan(
        ReadPlan plan,
        Map<BlockManagerId, Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks) {
      RowReadPlan result =
          new RowReadPlan(
              new ArrayList<>(),
              new ArrayList<>(),
              new ArrayList<>(plan.remote()),
              new HashMap<>(plan.remoteSources()));
      Map<BlockManagerId, List<LocalSource>> byAddress = new LinkedHashMap<>();
      for (LocalSource local : plan.local()) {
        byAddress.computeIfAbsent(local.map().address(), a -> new ArrayList<>()).add(local);
      }
      byAddress.forEach(
          (address, sources) -> {
            Optional<Found> found = look(sources);
            if (found.isPresent()) {
              result.host.addAll(found.get().host);
              result.device.addAll(found.get().device);
            } else {
              result.remote.add(blocks.get(address));
              sources.forEach(s -> result.remoteSources.put(s.map().mapId(), s.map()));
            }
          });
      List<DeviceBlocks> byTurns = byTurns(result.device);
      result.device.clear();
      result.device.addAll(byTurns);
      return result;
    }

    private Optional<Found> look(List<LocalSource> sources) {
      Found found = new Found(new ArrayList<>(), new ArrayList<>());
      for (LocalSource source : sources) {
        if (!add(source, found)) {
          return Optional.empty();
        }
      }
      return Optional.of(found);
    }

    /** Adds what is wanted of a map output; false if some of it is out of reach. */
    private boolean add(LocalSource source, Found to) {
      MapOutputId id = new MapOutputId(failures.shuffleId(), source.map().mapId());
      try {
        Optional<MapOutput> output = outputs.find(source.pe(), id);
        if (output.isEmpty()) {
          throw failures.raise(
              source.map(), "it is not in the directory of PE " + source.pe(), null);
        }
        boolean inHost = false;
        for (int r = 0; r < output.get().index().runs(); r++) {
          RunView run = output.get().index().run(r);
          int first = run.firstBlock(startPartition);
          int end = run.firstBlock(endPartition);
          if (first >= end) {
            continue;
          }
          if (run.tier() != Tier.DEVICE) {
            inHost = true;
            continue;
          }
          Optional<DeviceRange> window = rows.flatMap(way -> way.tier().windowOf(source.pe()));
          if (window.isEmpty()) {
            refuseOwn(source);
            return false;
          }
          to.device.add(DeviceBlocks.of(source.map(), source.pe(), run, window.get(), first, end));
        }
        if (inHost) {
          to.host.add(source);
        }
        return true;
      } catch (CorruptIndexException | CorruptControlException | HeapException | IOException e) {
        throw failures.raise(source.map(), e.getMessage(), e);
      }
    }

    private void refuseOwn(LocalSource source) {
      if (source.pe() == myPe) {
        throw failures.raise(
            source.map(), "it lies in the memory of this executor's GPU, which has failed", null);
      }
    }

    /** One of each PE in turn, starting behind the own PE, so that all do not begin with one. */
    private List<DeviceBlocks> byTurns(Collection<DeviceBlocks> blocks) {
      Map<Integer, Deque<DeviceBlocks>> byPe = new TreeMap<>();
      for (DeviceBlocks each : blocks) {
        byPe.computeIfAbsent(Math.floorMod(each.pe() - myPe - 1, 1 << 30), p -> new ArrayDeque<>())
            .add(each);
      }
      List<DeviceBlocks> turns = new ArrayList<>(blocks.size());
      while (!byPe.isEmpty()) {
        byPe.values().forEach(ofPe -> turns.add(ofPe.remove()));
        byPe.values().removeIf(Deque::isEmpty);
      }
      return turns;
    }
  }
}
