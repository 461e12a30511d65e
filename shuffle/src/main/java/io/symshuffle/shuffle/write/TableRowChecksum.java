// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.table.PackedTable;
import io.symshuffle.shuffle.table.SeededTable;
import io.symshuffle.shuffle.table.TableEngine;
import java.util.ArrayList;
import java.util.List;

/**
 * The row checksum of one map output of packed tables, which Spark compares between attempts of a
 * task: the sum, modulo 2^64, of a hash of each row and its partition. It depends neither on the
 * order of the rows nor on how they are divided into tables. Used by one task thread.
 */
final class TableRowChecksum {
  /** The bits of the golden ratio; odd, so that all partitions have different seeds. */
  private static final long SEED_STEP = 0x9E3779B97F4A7C15L;

  private static final long FIRST_SEED = 42;

  private final TableEngine engine;
  private final List<SeededTable> gathered = new ArrayList<>();
  private long value;

  TableRowChecksum(TableEngine engine) {
    this.engine = requireNonNull(engine, "engine is null");
  }

  /** Adds a table, which must stay open until {@link #fold}. */
  void add(int partition, PackedTable table) {
    long seed = FIRST_SEED + partition * SEED_STEP;
    if (table.metadata().byteSize() == 0) {
      // Without columns, all rows are equal.
      value += table.rows() * seed;
    } else {
      gathered.add(new SeededTable(table, seed));
    }
  }

  /** Hashes the rows of all tables that were added since the last call. */
  void fold() {
    if (!gathered.isEmpty()) {
      value += engine.sumOfRowHashes(gathered);
      gathered.clear();
    }
  }

  /** The checksum of all rows up to the last {@link #fold}. */
  long value() {
    return value;
  }
}
