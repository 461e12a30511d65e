// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.HeapException;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.directory.CorruptControlException;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.CorruptIndexException;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.output.TableOutput;
import io.symshuffle.shuffle.output.TableOutputs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Seq;

/**
 * What a reduce task reads of packed tables and how: tables in reach of this GPU or of this host's
 * memory, and those that only their owner can send.
 *
 * @param tables in reach, those of one PE side by side, starting behind the own PE so that all PEs
 *     together do not begin with the same owner
 * @param remote what Spark's fetcher gets, by address, as the tracker gave it
 * @param remoteSources the map outputs among {@code remote}, by map task id
 */
record TableReadPlan(
    List<TableSource> tables,
    List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> remote,
    Map<Long, MapSource> remoteSources) {
  TableReadPlan {
    requireNonNull(tables, "tables is null");
    requireNonNull(remote, "remote is null");
    requireNonNull(remoteSources, "remoteSources is null");
  }

  /** Looks map outputs up. */
  static final class Planner {
    private final TableOutputs outputs;
    private final Optional<DeviceTier> device;
    private final int myPe;
    private final int shuffleId;
    private final int startPartition;
    private final int endPartition;
    private final FetchFailures failures;

    Planner(
        TableOutputs outputs,
        Optional<DeviceTier> device,
        int myPe,
        int shuffleId,
        int startPartition,
        int endPartition,
        FetchFailures failures) {
      this.outputs = requireNonNull(outputs, "outputs is null");
      this.device = requireNonNull(device, "device is null");
      this.myPe = myPe;
      this.shuffleId = shuffleId;
      this.startPartition = startPartition;
      this.endPartition = endPartition;
      this.failures = requireNonNull(failures, "failures is null");
    }

    /**
     * Sorts what a {@link ReadPlan} has found: of its addresses in place, those whose tables lie in
     * a device heap out of reach go to the remote ones.
     *
     * @param plan by address
     * @param blocks the tracker's answer for the addresses that the plan reads in place
     */
    TableReadPlan plan(
        ReadPlan plan,
        Map<BlockManagerId, Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks) {
      TableReadPlan result =
          new TableReadPlan(
              new ArrayList<>(),
              new ArrayList<>(plan.remote()),
              new HashMap<>(plan.remoteSources()));
      Map<BlockManagerId, List<HostCursor.LocalSource>> byAddress = new HashMap<>();
      for (HostCursor.LocalSource local : plan.local()) {
        byAddress.computeIfAbsent(local.map().address(), a -> new ArrayList<>()).add(local);
      }
      byAddress.forEach(
          (address, sources) -> {
            List<TableSource> tables = new ArrayList<>();
            boolean reached = true;
            for (HostCursor.LocalSource source : sources) {
              reached &= add(source, tables);
            }
            if (reached) {
              result.tables.addAll(tables);
            } else {
              result.remote.add(blocks.get(address));
              sources.forEach(s -> result.remoteSources.put(s.map().mapId(), s.map()));
            }
          });
      result.tables.sort(
          Comparator.comparingInt(table -> Math.floorMod(pe(table) - myPe - 1, 1 << 30)));
      return result;
    }

    private static int pe(TableSource table) {
      return table.output().orElseThrow().pe();
    }

    /** Adds the tables of a map output; false if one of them is out of reach. */
    private boolean add(HostCursor.LocalSource source, List<TableSource> tables) {
      MapOutputId id = new MapOutputId(shuffleId, source.map().mapId());
      try {
        Optional<TableOutput> output = outputs.find(source.pe(), id);
        if (output.isEmpty()) {
          throw failures.raise(
              source.map(), "it is not in the directory of PE " + source.pe(), null);
        }
        int end = output.get().index().first(endPartition);
        for (int t = output.get().index().first(startPartition); t < end; t++) {
          TableEntry table = output.get().index().table(t);
          if (table.tier() == Tier.DEVICE
              && device.filter(tier -> tier.reaches(source.pe())).isEmpty()) {
            return false;
          }
          tables.add(TableSource.inReach(source.map(), output.get(), table));
        }
        return true;
      } catch (CorruptIndexException | CorruptControlException | HeapException | IOException e) {
        throw failures.raise(source.map(), e.getMessage(), e);
      }
    }
  }
}
