// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class QueryTextsTest {
  private static final QueryTexts TPCH = Suite.TPCH.queries();
  private static final QueryTexts TPCDS = Suite.TPCDS.queries();

  @Test
  void allQueriesAreFoundWithoutComments() {
    assertEquals(22, TPCH.names().size());
    assertEquals(103, TPCDS.names().size());
    assertAll(
        Stream.of(TPCH, TPCDS)
            .flatMap(texts -> texts.names().stream().map(texts::text))
            .map(
                sql ->
                    () -> assertTrue(sql.matches("(?is)^[(]?\\s*(select|with)\\b.*[^;]$"), sql)));
  }

  @Test
  void unlimitedRemovesTheLimitAtTheEnd() {
    assertAll(
        () -> assertEquals(TPCDS.text("q1"), TPCDS.unlimited("q1").orElseThrow() + "\nLIMIT 100"),
        () -> assertEquals(Optional.empty(), TPCDS.unlimited("q2")),
        () ->
            assertEquals(
                86,
                TPCDS.names().stream().map(TPCDS::unlimited).filter(Optional::isPresent).count()));
  }
}
