// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DirectMemoryTest {
  private static DirectMemory.Call<Object, RuntimeException> failing(String message) {
    return () -> {
      throw new OutOfMemoryError(message);
    };
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Cannot reserve 8 bytes of it | direct | -XX:MaxDirectMemorySize in spark.executor.extraJavaOptions
          Unable to allocate 8 bytes   | native | spark.executor.memoryOverhead
          """)
  void saysWhatToDoWithoutTheErrorAsCause(String error, String kind, String remedy) {
    IllegalStateException plain =
        assertThrows(
            IllegalStateException.class,
            () -> DirectMemory.require("a row of %d bytes", 8, failing(error)));
    assertEquals(
        "no %s memory for a row of 8 bytes: raise %s (%s)".formatted(kind, remedy, error),
        plain.getMessage());
    assertNull(plain.getCause(), "Spark ends the executor because of the error");
    IllegalStateException withSetting =
        assertThrows(
            IllegalStateException.class,
            () -> DirectMemory.require("a row of %d bytes", 8, "spark.row", failing(error)));
    assertEquals(
        "no %s memory for a row of 8 bytes: raise %s, or lower spark.row (%s)"
            .formatted(kind, remedy, error),
        withSetting.getMessage());
    assertNull(withSetting.getCause(), "Spark ends the executor because of the error");
  }

  @Test
  void leavesErrorsOfTheJavaHeapToSpark() {
    assertThrows(
        OutOfMemoryError.class,
        () -> DirectMemory.require("a row of %d bytes", 8, failing("Java heap space")));
  }
}
