// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class XxHash64Test {
  /** Values of the reference implementation with the seed 0. */
  @ParameterizedTest
  @CsvSource({
    "'', ef46db3751d8e999",
    "abc, 44bc2cf5ad770999",
    "Nobody inspects the spammish repetition, fbcea83c8a378bf1"
  })
  void computesCheckValues(String text, String hash) {
    assertEquals(hash, Long.toHexString(XxHash64.of(text.getBytes(US_ASCII), 0)));
  }
}
