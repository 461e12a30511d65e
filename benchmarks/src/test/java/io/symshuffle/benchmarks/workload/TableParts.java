// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Iterator;
import org.apache.spark.sql.catalyst.InternalRow;

/** Checks the parts in which tables are generated. */
final class TableParts {
  private TableParts() {}

  /** Asserts that three parts have the rows of the table in one part, in the same order. */
  static void assertTogetherAreTheTable(TableSet tables, String table) {
    Iterator<InternalRow> whole = tables.rows(table, 0.001, 1, 1);
    for (int part = 1; part <= 3; part++) {
      Iterator<InternalRow> rows = tables.rows(table, 0.001, part, 3);
      assertTrue(rows.hasNext(), "part " + part);
      rows.forEachRemaining(row -> assertEquals(whole.next(), row));
    }
    assertFalse(whole.hasNext());
  }
}
