// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.benchmarks.report.Table.Column;
import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {
  private final Table table =
      new Table(
          List.of(
              Column.name("case", 6),
              Column.number("seconds", "sort", 6),
              Column.number("seconds", "ours", 6),
              Column.number("", "rows", 4)));

  @Test
  void headerHasGroupsAboveTheirColumns() {
    assertEquals(
        List.of(
            "               seconds",
            "case      sort    ours  rows",
            "------  ------  ------  ----"),
        table.header().lines().toList());
  }

  @Test
  void headingOfAGroupIsNeverCut() {
    assertEquals(
        List.of(
            "      shuffle bytes  times faster",
            "case           sort          ours",
            "----  -------------  ------------"),
        new Table(
                List.of(
                    Column.name("case", 4),
                    Column.number("shuffle bytes", "sort", 7),
                    Column.number("times faster", "ours", 7)))
            .header()
            .lines()
            .toList());
  }

  @Test
  void numbersAreRightAligned() {
    assertEquals("q1        1.25   10.50     4", table.add(List.of("q1", "1.25", "10.50", "4")));
  }
}
