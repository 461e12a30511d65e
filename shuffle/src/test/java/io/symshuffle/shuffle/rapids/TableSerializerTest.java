// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;

class TableSerializerTest {
  /** Values of 4 bytes after one of 2 bytes would not be aligned. */
  @Test
  void widestColumnsComeFirstAndThoseOfVariableWidthLast() {
    assertOrder("a string, b byte, c short, d int, e long", 4, 3, 2, 1, 0);
    assertOrder("a array<int>, b boolean, c decimal(9, 2), d decimal(10, 2)", 3, 2, 1, 0);
    assertOrder("a map<int, int>, b date, c timestamp, d decimal(38, 2)", 2, 3, 1, 0);
    assertOrder("a struct<b: long>, b float, c double", 2, 1, 0);
  }

  @Test
  void columnsOfTheSameWidthKeepTheirOrder() {
    assertOrder("a long, b double, c timestamp, d long", 0, 1, 2, 3);
    assertOrder("a int, b long, c float, d long, e date", 1, 3, 0, 2, 4);
    assertOrder("a binary, b string, c struct<b: int>, d string", 1, 3, 0, 2);
  }

  private static void assertOrder(String columns, int... expected) {
    StructType type = StructType.fromDDL(columns);
    DataType[] types = new DataType[type.size()];
    for (int i = 0; i < types.length; i++) {
      types[i] = type.apply(i).dataType();
    }
    assertArrayEquals(expected, TableSerializer.order(types), columns);
  }
}
