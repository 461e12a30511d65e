// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RowsComparisonTest {
  @TempDir private Path folder;

  @Test
  void rowsOfAQueryWithoutOrderMayComeInAnyOrder() throws IOException {
    assertEquals("", difference(List.of(), List.of("a|1", "b|2"), List.of("b|2", "a|1")));
  }

  @Test
  void howOftenARowComesCounts() throws IOException {
    String difference = difference(List.of(), List.of("a", "a", "b"), List.of("a", "b", "b"));
    assertTrue(difference.startsWith("1 of 3 rows differ (row)"), difference);
  }

  @Test
  void theFirstDifferingRowsOfBothAreShown() throws IOException {
    String difference = difference(List.of(), List.of("a|1", "b|2"), List.of("a|1", "b|3"));
    assertEquals("1 of 2 rows differ (row)\n  sort: b|2\n  ours: b|3", difference);
  }

  @Test
  void aMissingRowIsAnotherNumberOfRows() throws IOException {
    assertEquals(
        "sort gave 2 rows, ours 1", difference(List.of(), List.of("a", "b"), List.of("a")));
  }

  @Test
  void rowsThatTieInTheOrderMaySwap() throws IOException {
    assertEquals(
        "", difference(List.of(1), List.of("a|1", "b|1", "c|2"), List.of("b|1", "a|1", "c|2")));
  }

  @Test
  void rowsOutOfOrderDiffer() throws IOException {
    String difference = difference(List.of(1), List.of("a|1", "b|2"), List.of("b|2", "a|1"));
    assertTrue(difference.startsWith("2 of 2 rows differ (order)"), difference);
  }

  @Test
  void aBarInsideAValuePartsNoColumns() throws IOException {
    assertAll(
        () ->
            assertEquals(
                "", difference(List.of(1), List.of("a\\|x|1", "b|1"), List.of("b|1", "a\\|x|1"))));
  }

  private String difference(List<Integer> keys, List<String> expected, List<String> actual)
      throws IOException {
    Path first = Files.write(folder.resolve("first"), expected);
    Path second = Files.write(folder.resolve("second"), actual);
    return RowsComparison.difference("sort", first, "ours", second, keys);
  }
}
