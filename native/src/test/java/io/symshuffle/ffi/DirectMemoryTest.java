// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class DirectMemoryTest {
  @Test
  void passesResultsAndOtherFailuresOn() throws IOException {
    assertEquals(7, DirectMemory.require("a number of %d bytes", 4, () -> 7));
    IOException failure = new IOException();
    assertEquals(
        failure,
        assertThrows(
            IOException.class,
            () ->
                DirectMemory.require(
                    "a number of %d bytes",
                    4,
                    () -> {
                      throw failure;
                    })));
  }

  @Test
  void saysWhatToDoWithoutTheErrorAsCause() {
    DirectMemory.Call<Object, RuntimeException> full =
        () -> {
          throw new OutOfMemoryError("it is full");
        };
    IllegalStateException plain =
        assertThrows(
            IllegalStateException.class, () -> DirectMemory.require("a row of %d bytes", 8, full));
    assertEquals(
        "no direct memory for a row of 8 bytes: raise -XX:MaxDirectMemorySize in"
            + " spark.executor.extraJavaOptions (it is full)",
        plain.getMessage());
    assertNull(plain.getCause(), "Spark ends the executor because of the error");
    IllegalStateException withSetting =
        assertThrows(
            IllegalStateException.class,
            () -> DirectMemory.require("a row of %d bytes", 8, "spark.row", full));
    assertEquals(
        "no direct memory for a row of 8 bytes: raise -XX:MaxDirectMemorySize in"
            + " spark.executor.extraJavaOptions, or lower spark.row (it is full)",
        withSetting.getMessage());
    assertNull(withSetting.getCause(), "Spark ends the executor because of the error");
  }
}
