// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.output.TableOutput;
import io.symshuffle.shuffle.read.LocalSource;
import io.symshuffle.shuffle.read.MapSource;
import io.symshuffle.shuffle.read.ReadTask;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Collects the tables that one reduce task reads in place. Used by one task thread. */
final class InPlaceTables {
  private final ReadTask task;
  private final Optional<DeviceTier> device;
  private final List<TableRef> found = new ArrayList<>();

  /**
   * @param device access to tables in GPU memory, if there is a device heap
   */
  InPlaceTables(ReadTask task, Optional<DeviceTier> device) {
    this.task = task;
    this.device = device;
  }

  /**
   * Adds a map output.
   *
   * @return false, without adding it, if some of its data cannot be read in place
   */
  boolean tryAdd(LocalSource source) {
    List<TableRef> tables = new ArrayList<>();
    if (!task.inspect(source, output -> add(source.map(), output, tables))) {
      return false;
    }
    found.addAll(tables);
    return true;
  }

  /**
   * The tables grouped by PE, starting with the PE after {@code myPe}, so that not all PEs start
   * with the same owner.
   */
  List<TableRef> inOrder(int myPe) {
    List<TableRef> ordered = new ArrayList<>(found);
    ordered.sort(
        Comparator.comparingInt(
            table -> Math.floorMod(table.output().orElseThrow().pe() - myPe - 1, 1 << 30)));
    return ordered;
  }

  /** Adds the tables of a map output; false if one of them cannot be read in place. */
  private boolean add(MapSource map, MapOutput mapOutput, List<TableRef> to) {
    TableOutput output = mapOutput.tables();
    if (!output.isReadable(task.request().startPartition(), task.request().endPartition())) {
      return false;
    }
    int end = output.index().first(task.request().endPartition());
    for (int number = output.index().first(task.request().startPartition());
        number < end;
        number++) {
      TableEntry table = output.index().table(number);
      if (table.tier() == Tier.DEVICE
          && device
              .flatMap(tier -> tier.heap().range(output.pe(), table.place(), table.storedBytes()))
              .isEmpty()) {
        return false;
      }
      to.add(TableRef.inPlace(map, output, table));
    }
    return true;
  }
}
