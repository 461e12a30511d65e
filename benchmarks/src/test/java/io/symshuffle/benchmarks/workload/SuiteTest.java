// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class SuiteTest {
  @Test
  void tablesOfQueriesAreFoundByName() {
    assertEquals(List.of("lineitem"), Suite.TPCH.tablesOf(List.of("q1")));
    assertEquals(
        List.of("store_sales", "date_dim", "item"), Suite.TPCDS.tablesOf(List.of("q3", "q42")));
    assertEquals(Suite.TPCDS.tables().names(), Suite.TPCDS.tablesOf(Suite.TPCDS.queries().names()));
  }
}
