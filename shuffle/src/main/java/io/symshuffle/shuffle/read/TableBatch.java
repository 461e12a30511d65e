// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The tables of one output batch.
 *
 * @param sources the tables, 1 or more
 * @param rows of all of them; a batch counts its rows with an int
 * @param bytes of all of them
 */
record TableBatch(List<PackedTableRef> sources, long rows, long bytes) {
  TableBatch {
    sources = List.copyOf(sources);
  }

  /** Cuts a sequence of tables into batches as it is asked for them. */
  static final class Cutter {
    private final Iterator<PackedTableRef> sources;
    private final long targetBytes;
    private PackedTableRef next;

    /**
     * A cutter.
     *
     * @param targetBytes a batch takes tables until it would have more; one table alone may have
     *     more. Below 2 GiB, so that no column of strings gets more than cuDF can address
     */
    Cutter(Iterator<PackedTableRef> sources, long targetBytes) {
      this.sources = sources;
      this.targetBytes = targetBytes;
    }

    boolean hasNext() {
      if (next == null && sources.hasNext()) {
        next = sources.next();
      }
      return next != null;
    }

    TableBatch next() {
      List<PackedTableRef> taken = new ArrayList<>();
      long rows = 0;
      long bytes = 0;
      while (hasNext()) {
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
