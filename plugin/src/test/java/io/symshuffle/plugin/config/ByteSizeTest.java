// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "65536b, 65536",
    "7b, 7",
    "64k, 65536",
    "64K, 65536",
    "64kb, 65536",
    "1m, 1048576",
    "2MB, 2097152",
    "1g, 1073741824",
    "1t, 1099511627776",
    "64GiB, 68719476736",
    "3mib, 3145728",
    "1pb, 1125899906842624",
    "9223372036854775807b, 9223372036854775807"
  })
  void readsSizesInSparksFormat(String text, long bytes) {
    assertEquals(new ByteSize(bytes), ByteSize.parse(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "k",
        "-1",
        "1.5g",
        "1x",
        "1kk",
        "1bb",
        "1bib",
        "1gi",
        "12",
        "65536",
        "0x10",
        "1 0",
        "9223372036854775808b",
        "8192p"
      })
  void refusesInvalidByteSizes(String text) {
    assertThrows(IllegalArgumentException.class, () -> ByteSize.parse(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "1b", "1000b", "1k", "1025b", "1536k", "64m", "3g", "16t", "2p"})
  void writesTheShortestExactText(String text) {
    assertEquals(text, ByteSize.parse(text).toString());
  }

  @Test
  void saysWhatToWriteInsteadOfANumberWithoutUnit() {
    String message =
        assertThrows(IllegalArgumentException.class, () -> ByteSize.parse("12")).getMessage();
    assertEquals("'12' has no unit: write 12g for GiB, 12m for MiB or 12b for bytes", message);
  }
}
