// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.tpch;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class TpchQueriesTest {
  @Test
  void allTwentyTwoAreThereAndBare() {
    assertEquals(22, TpchQueries.names().size());
    assertAll(
        TpchQueries.names().stream()
            .map(
                name ->
                    () -> {
                      String sql = TpchQueries.text(name);
                      assertTrue(sql.matches("(?is)^(select|with)\\b.*[^;]$"), sql);
                    }));
  }

  @Test
  void anotherNameIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> TpchQueries.text("q23"));
  }
}
