// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.application.CanonicalRows;
import io.symshuffle.benchmarks.protocol.ResultColumns;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RowsComparisonTest {
  @TempDir private Path folder;

  @Test
  void rowsOfAnUnorderedQueryMayComeInAnyOrder() throws IOException {
    assertEquals("", difference(List.of(), List.of("a|1", "b|2"), List.of("b|2", "a|1")));
  }

  @Test
  void multiplicityOfRowsMatters() throws IOException {
    String difference = difference(List.of(), List.of("a", "a", "b"), List.of("a", "b", "b"));
    assertTrue(difference.startsWith("1 of 3 rows differ (row)"), difference);
  }

  @Test
  void firstDifferingRowsOfBothAreShown() throws IOException {
    String difference = difference(List.of(), List.of("a|1", "b|2"), List.of("a|1", "b|3"));
    assertEquals("1 of 2 rows differ (row)\n  sort: b|2\n  ours: b|3", difference);
  }

  @Test
  void missingRowIsReportedAsADifferentCount() throws IOException {
    assertEquals(
        "sort returned 2 rows, ours 1", difference(List.of(), List.of("a", "b"), List.of("a")));
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
  void valuesThatContainSeparatorsSeparateNoColumns() throws IOException {
    List<String> rows =
        Stream.of("a|x", "a\\", RowFactory.create("a", "x"), RowFactory.create("a|", null))
            .map(value -> CanonicalRows.line(RowFactory.create(value, 1)))
            .toList();
    assertEquals(4, rows.stream().distinct().count());
    assertEquals("", difference(List.of(1), rows, rows.reversed()));
  }

  private String difference(List<Integer> keys, List<String> expected, List<String> actual)
      throws IOException {
    Path first = Files.write(folder.resolve("first"), expected);
    Path second = Files.write(folder.resolve("second"), actual);
    return RowsComparison.difference(
        "sort", first, "ours", second, new ResultColumns(keys, List.of()));
  }

  @Test
  void onlyFloatingPointMayDifferInItsLastDigits() throws IOException {
    ResultColumns columns = new ResultColumns(List.of(1), List.of(1));
    Path one = file("one", "a|0.30000000000000004|1.5", "b|\\N|1.5");
    Path near = file("near", "a|0.3|1.5", "b|\\N|1.5");
    Path far = file("far", "a|0.3001|1.5", "b|\\N|1.5");
    Path exact = file("exact", "a|0.3|1.50", "b|\\N|1.5");
    Path number = file("number", "a|0.3|1.5", "b|0.0|1.5");
    assertAll(
        () -> assertEquals("", RowsComparison.difference("x", one, "y", near, columns)),
        () -> assertNotEquals("", RowsComparison.difference("x", one, "y", far, columns)),
        () -> assertNotEquals("", RowsComparison.difference("x", one, "y", exact, columns)),
        () -> assertNotEquals("", RowsComparison.difference("x", one, "y", number, columns)),
        () ->
            assertNotEquals(
                "", RowsComparison.difference("x", one, "y", near, ResultColumns.PLAIN)));
  }

  @Test
  void rowsThatTieWithTheLastOneMayDiffer() throws IOException {
    ResultColumns columns = new ResultColumns(List.of(0), List.of());
    Path one = file("one", "1|a", "2|b", "2|c");
    Path tied = file("tied", "1|a", "2|b", "2|d");
    Path different = file("different", "1|x", "2|b", "2|c");
    Path longer = file("longer", "1|a", "2|b", "2|c", "2|d");
    Path otherKey = file("otherKey", "1|a", "2|b", "3|c");
    assertAll(
        () -> assertTrue(RowsComparison.differInTiesAtTheEnd(one, tied, columns)),
        () -> assertFalse(RowsComparison.differInTiesAtTheEnd(one, different, columns)),
        () -> assertFalse(RowsComparison.differInTiesAtTheEnd(one, longer, columns)),
        () -> assertFalse(RowsComparison.differInTiesAtTheEnd(one, otherKey, columns)),
        () -> assertTrue(RowsComparison.differInTiesAtTheEnd(one, different, ResultColumns.PLAIN)));
  }

  @Test
  void partHasNoRowMoreOftenThanTheWhole() throws IOException {
    Path whole = file("whole", "a", "b", "b");
    assertAll(
        () -> assertTrue(RowsComparison.isPart(file("1", "b", "b"), whole, ResultColumns.PLAIN)),
        () -> assertFalse(RowsComparison.isPart(file("2", "a", "a"), whole, ResultColumns.PLAIN)),
        () -> assertFalse(RowsComparison.isPart(file("3", "c"), whole, ResultColumns.PLAIN)));
  }

  private Path file(String name, String... rows) throws IOException {
    return Files.write(folder.resolve(name), List.of(rows));
  }
}
