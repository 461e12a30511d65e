// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.ffi.NativeCallException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The row checksum of one map output of packed tables, which Spark compares between attempts of a
 * task: the sum, modulo 2^64, of a hash of each row and its partition. It depends neither on the
 * order of the rows nor on how they are divided into tables. Used by one task thread.
 */
final class TableRowChecksum {
  private static final Logger LOG = LoggerFactory.getLogger(TableRowChecksum.class);

  /** The bits of the golden ratio; odd, so that all partitions have different seeds. */
  private static final long SEED_STEP = 0x9E3779B97F4A7C15L;

  private static final long FIRST_SEED = 42;

  private final TableEngine engine;
  private final TableCopies copies;
  private final List<SeededTable> gathered = new ArrayList<>();

  /** The sum of the hashes of all gathered tables, once the kernel is done. */
  private Optional<LongSupplier> queued = Optional.empty();

  private long value;

  /**
   * @param copies queues the kernel, and waits for it
   */
  TableRowChecksum(TableEngine engine, TableCopies copies) {
    this.engine = engine;
    this.copies = copies;
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

  /**
   * Queues the kernel for all tables that were added since the last {@link #fold}, if it can hash
   * them and there is memory for it, so that the caller's next wait serves it too.
   */
  void queue() {
    if (gathered.isEmpty()) {
      return;
    }
    try {
      queued = engine.hashedTables(gathered).flatMap(copies::rowHashes);
    } catch (NativeCallException e) {
      if (e.code() != CudaDriver.OUT_OF_MEMORY) {
        throw e;
      }
      // For the lists of all columns, outside of the engine's pool, which may have all memory.
      LOG.debug("The engine hashes {} tables instead of the kernel", gathered.size(), e);
    }
  }

  /**
   * Adds the hashes of the rows of all tables that were added since the last call.
   *
   * @throws IOException if the GPU is not done within a minute
   */
  void fold() throws IOException {
    if (gathered.isEmpty()) {
      return;
    }
    if (queued.isPresent()) {
      copies.await();
      value += queued.get().getAsLong();
    } else {
      value += engine.sumOfRowHashes(gathered);
    }
    queued = Optional.empty();
    gathered.clear();
  }

  /** The checksum of all rows up to the last {@link #fold}. */
  long value() {
    return value;
  }
}
