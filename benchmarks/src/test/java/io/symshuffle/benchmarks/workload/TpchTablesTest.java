// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TpchTablesTest {
  private final TpchTables tables = new TpchTables();

  /** Megabytes of Parquet at scale 1, as written by the generator. */
  @ParameterizedTest
  @CsvSource({"lineitem, 200", "orders, 55", "partsupp, 42"})
  void largeTablesHaveFilesOfAbout150MegabytesFromScale10(String table, int megabytes) {
    for (double scale : new double[] {10, 30, 100, 1000}) {
      double file = megabytes * scale / tables.parts(table, scale);
      assertTrue(file >= 128 && file <= 200, table + " at scale " + scale + ": " + file);
    }
    assertTrue(tables.parts(table, 1) > 1, "cores have work at small scales");
  }

  @Test
  void manyCoresHaveWorkAtScale100() {
    assertEquals(128, tables.parts("lineitem", 100));
  }

  @ParameterizedTest
  @ValueSource(strings = {"lineitem", "orders", "partsupp", "part", "customer"})
  void rowsDoNotDependOnTheNumberOfParts(String table) {
    TableParts.assertTogetherAreTheTable(tables, table);
  }
}
