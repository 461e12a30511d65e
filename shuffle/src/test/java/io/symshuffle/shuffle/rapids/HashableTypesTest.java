// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HashableTypesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a boolean, b byte, c short, d int, e long, f float, g double",
        "a decimal(7, 2), b decimal(38, 10), c string, d date, e timestamp, f timestamp_ntz",
        "a struct<b: int, c: string>, d array<long>, e array<struct<f: array<string>>>"
      })
  void flatAndNestedColumnsAreHashable(String columns) {
    assertEquals(Optional.empty(), HashableTypes.reasonAgainst(types(columns)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "a int, b decimal(38, 10), c string, d timestamp; ",
        "a int, b array<int>; lists and structs",
        "a struct<b: int>, c double; lists and structs",
        "a int, b double; floats",
        "a float; floats"
      })
  void listsStructsAndFloatsAreHashedOnlyIfTheUserWantsIt(String columns, String named) {
    Optional<String> reason = HashableTypes.reasonAgainstByDefault(types(columns));
    assertEquals(named != null, reason.isPresent());
    assertTrue(named == null || reason.get().contains(named), reason::toString);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "a int, b binary; binary",
        "a map<int, string>; map<int,string>",
        "a array<map<int, int>>; array<map<int,int>>",
        "a struct<b: interval year>; struct<b:interval year>"
      })
  void typesThatCannotBeHashedAreNamed(String columns, String name) {
    assertEquals(
        Optional.of("RAPIDS cannot hash columns of type " + name),
        HashableTypes.reasonAgainst(types(columns)));
  }

  @Test
  void deepNestingCannotBeHashed() {
    assertEquals(Optional.empty(), HashableTypes.reasonAgainst(types(nested(7))));
    assertEquals(
        Optional.of("RAPIDS cannot hash columns nested more than 8 deep"),
        HashableTypes.reasonAgainst(types(nested(8))));
  }

  /** A column of that many structs around an int. */
  private static String nested(int structs) {
    return "a " + "struct<a: ".repeat(structs) + "int" + ">".repeat(structs);
  }

  private static DataType[] types(String columns) {
    StructType type = StructType.fromDDL(columns);
    DataType[] types = new DataType[type.size()];
    for (int i = 0; i < types.length; i++) {
      types[i] = type.apply(i).dataType();
    }
    return types;
  }
}
