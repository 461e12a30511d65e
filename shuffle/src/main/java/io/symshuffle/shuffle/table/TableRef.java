// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.output.TableOutput;
import io.symshuffle.shuffle.read.MapSource;
import java.util.Optional;

/**
 * A table that a reduce task must read.
 *
 * @param map the map output that it belongs to
 * @param table its entry in the index, or in the frame that brought it
 * @param output the map output, to read the table in place; empty if {@code fetched} is present
 * @param fetched what was fetched through Spark's block transfer
 */
record TableRef(
    MapSource map, TableEntry table, Optional<TableOutput> output, Optional<FetchedTable> fetched) {
  static TableRef inPlace(MapSource map, TableOutput output, TableEntry table) {
    return new TableRef(map, table, Optional.of(output), Optional.empty());
  }

  /** Size of the data as it is, if a GPU has packed it; 0 if not. */
  long packedBytes() {
    return fetched.isPresent() ? fetched.get().packedBytes() : table.packedBytes();
  }

  static TableRef fetched(MapSource map, TableEntry table, FetchedTable data) {
    return new TableRef(map, table, Optional.empty(), Optional.of(data));
  }
}
