// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.unsafe.types.VariantVal;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

class RowMultisetTest {
  @Test
  void orderDoesNotMatter() {
    assertSame(rows(row(1, "a"), row(2, "b")), rows(row(2, "b"), row(1, "a")));
  }

  @Test
  void multiplicityMatters() {
    assertEquals(
        Optional.of(
            "3 rows, expected 3; 1 unexpected, 1 missing\n  unexpected: [1]\n  missing: [2]"),
        rows(row(1), row(1), row(2)).difference(rows(row(1), row(2), row(2)), 0));
  }

  @Test
  void valuesCompareByContent() {
    for (int i = 0; i < 2; i++) {
      assertSame(rows(row(everything((byte) 7))), rows(row(everything((byte) 7))));
    }
    assertTrue(
        rows(row(everything((byte) 7))).difference(rows(row(everything((byte) 8))), 0).isPresent());
  }

  @Test
  void zeroDiffersFromMinusZeroAndNaNEqualsItself() {
    assertTrue(rows(row(0.0)).difference(rows(row(-0.0)), 0).isPresent());
    assertSame(rows(row(Double.NaN, Float.NaN)), rows(row(Double.NaN, Float.NaN)));
  }

  @Test
  void toleranceAppliesToFloatingPointColumnsOnly() {
    assertEquals(Optional.empty(), rows(row(1, 1000.0)).difference(rows(row(1, 1000.0001)), 1e-6));
    assertTrue(rows(row(1, 1000.0)).difference(rows(row(1, 1000.1)), 1e-6).isPresent());
    assertTrue(rows(row(1, 1000.0)).difference(rows(row(2, 1000.0)), 1e-6).isPresent());
  }

  private static Object everything(byte b) {
    return row(
        new byte[] {1, b},
        CollectionConverters.asScala(Arrays.asList(1, null, new byte[] {b})).toSeq(),
        CollectionConverters.asScala(Map.of("k", row(new byte[] {b}))),
        new VariantVal(new byte[] {b}, new byte[] {1, 0}));
  }

  private static void assertSame(RowMultiset left, RowMultiset right) {
    assertEquals(Optional.empty(), left.difference(right, 0));
  }

  private static RowMultiset rows(Row... rows) {
    return RowMultiset.of(List.of(rows));
  }

  private static Row row(Object... values) {
    return RowFactory.create(values);
  }
}
