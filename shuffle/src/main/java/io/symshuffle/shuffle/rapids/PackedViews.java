// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.shuffle.table.TablePart;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Concatenates packed tables as cuDF's {@code Table.fromPackedTable} and {@code Table.concatenate}
 * do, with the same native functions in the same order, but without a Java object per column of
 * each table. Creating such an object for a column of strings reads its length from the GPU and
 * waits for the result, thousands of times for a batch of many small tables.
 *
 * <p>These functions are private in cuDF's Java API. Thread-safe.
 */
final class PackedViews {
  private final Member viewsOfPacked;
  private final Member deleteView;
  private final Member tableOfViews;
  private final Member deleteTable;
  private final Member concatenate;
  private final Member newTable;

  PackedViews(Members members) throws RapidsMismatchException {
    Class<?> table = members.type("ai.rapids.cudf.Table");
    Class<?> view = members.type("ai.rapids.cudf.ColumnView");
    this.viewsOfPacked =
        members.privateStaticMethod(
            table, "columnViewsFromPacked", long[].class, ByteBuffer.class, long.class);
    this.deleteView = members.privateStaticMethod(view, "deleteColumnView", void.class, long.class);
    this.tableOfViews =
        members.privateStaticMethod(table, "createCudfTableView", long.class, long[].class);
    this.deleteTable =
        members.privateStaticMethod(table, "deleteCudfTable", void.class, long.class);
    this.concatenate =
        members.privateStaticMethod(table, "concatenate", long[].class, long[].class);
    this.newTable = members.constructor(table, long[].class);
  }

  /**
   * Concatenates tables into a new one with separate memory.
   *
   * @param parts the tables, at least 1; their bytes must stay valid until the work queued on the
   *     calling thread's stream is done
   */
  AutoCloseable concatenate(List<TablePart> parts) {
    List<long[]> views = new ArrayList<>(parts.size());
    long[] tables = new long[parts.size()];
    try {
      for (int i = 0; i < tables.length; i++) {
        TablePart part = parts.get(i);
        views.add(views(part.metadata(), part.data()));
        tables[i] = (long) tableOfViews.call((Object) views.get(i));
      }
      return (AutoCloseable) newTable.call(concatenate.call((Object) tables));
    } finally {
      for (long table : tables) {
        if (table != 0) {
          deleteTable.call(table);
        }
      }
      views.forEach(this::delete);
    }
  }

  /**
   * Creates native views of the columns of a packed table, to be deleted with {@link #delete}.
   *
   * @param metadata in native memory
   */
  long[] views(MemorySegment metadata, DeviceRange data) {
    return (long[]) viewsOfPacked.call(metadata.asByteBuffer(), data.address());
  }

  /** Deletes views of columns, not the data. */
  void delete(long[] viewsOfTable) {
    for (long view : viewsOfTable) {
      deleteView.call(view);
    }
  }
}
