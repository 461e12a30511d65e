// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.cli.TextTable.Column;
import java.util.List;
import org.junit.jupiter.api.Test;

class TextTableTest {
  private final TextTable table =
      new TextTable(
          List.of(
              new Column("", "case", 6, true),
              new Column("seconds", "sort", 6, false),
              new Column("seconds", "ours", 6, false),
              new Column("", "rows", 4, false)));

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
        new TextTable(
                List.of(
                    new Column("", "case", 4, true),
                    new Column("shuffle bytes", "sort", 7, false),
                    new Column("times faster", "ours", 7, false)))
            .header()
            .lines()
            .toList());
  }

  @Test
  void columnsAreAsWideAsTheirValues() {
    assertEquals(
        List.of("query  runs", "q1        3", "q21      10"),
        TextTable.lines(
            List.of(List.of("query", "runs"), List.of("q1", "3"), List.of("q21", "10")), 1));
  }

  @Test
  void numbersAreRightAligned() {
    assertEquals("q1        1.25   10.50     4", table.line(List.of("q1", "1.25", "10.50", "4")));
  }
}
