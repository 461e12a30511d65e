// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.BooleanSupplier;

/**
 * The tables of one output batch.
 *
 * @param sources the tables, at least 1
 * @param rows total number of rows; at most {@code Integer.MAX_VALUE} unless there is one table
 * @param bytes total size of the data
 */
record TableBatch(List<TableRef> sources, long rows, long bytes) implements AutoCloseable {
  TableBatch {
    sources = List.copyOf(sources);
  }

  /** Frees the memory of tables that came from other hosts, when they are on this GPU. */
  @Override
  public void close() {
    sources.forEach(source -> source.fetched().ifPresent(FetchedTable::close));
  }

  /** Splits a sequence of tables into batches, on demand. Thread-safe. */
  static final class Cutter {
    @GuardedBy("this")
    private final Iterator<TableRef> sources;

    private final long targetBytes;
    private final BooleanSupplier isShort;

    @GuardedBy("this")
    private TableRef next;

    /** The next batch, if it has been gathered. */
    @GuardedBy("this")
    private TableBatch gathered;

    /**
     * @param targetBytes maximum size of a batch of several tables; a single table may be larger.
     *     Less than 2 GiB, so that no column of strings exceeds the size that cuDF can address
     * @param isShort whether memory is short, so that a batch ends before its target size
     */
    Cutter(Iterator<TableRef> sources, long targetBytes, BooleanSupplier isShort) {
      this.sources = sources;
      this.targetBytes = targetBytes;
      this.isShort = isShort;
    }

    synchronized boolean hasNext() {
      return gathered != null || hasTable();
    }

    /** Waits for the tables of the next batch, if there is one. */
    synchronized void gather() {
      if (gathered == null && hasTable()) {
        gathered = cut();
      }
    }

    synchronized TableBatch next() {
      gather();
      TableBatch result = gathered;
      gathered = null;
      if (result == null) {
        throw new NoSuchElementException("no batch is left");
      }
      return result;
    }

    @GuardedBy("this")
    private boolean hasTable() {
      if (next == null && sources.hasNext()) {
        next = sources.next();
      }
      return next != null;
    }

    @GuardedBy("this")
    private TableBatch cut() {
      List<TableRef> taken = new ArrayList<>();
      long rows = 0;
      long bytes = 0;
      // A table that is taken from the sequence takes memory.
      while ((taken.isEmpty() || !isShort.getAsBoolean()) && hasTable()) {
        long moreRows = rows + next.table().rows();
        long moreBytes = bytes + next.table().bytes();
        if (!taken.isEmpty() && (moreRows > Integer.MAX_VALUE || moreBytes > targetBytes)) {
          break;
        }
        taken.add(next);
        rows = moreRows;
        bytes = moreBytes;
        next = null;
      }
      return new TableBatch(taken, rows, bytes);
    }
  }
}
