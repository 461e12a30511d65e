// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JavaDefectsTest {
  @ParameterizedTest
  @CsvSource({
    "25, true",
    "25+36-LTS, true",
    "25.0.1, true",
    "25.0.2+10-LTS, true",
    "25.0.3, false",
    "25.0.3+9-LTS, false",
    "25.0.4, false",
    "21.0.2, false",
    "24.0.2, false",
    "26, false"
  })
  void warnsOfFaultyG1(String version, boolean faulty) {
    assertEquals(faulty ? 1 : 0, of(version, true, false).size());
    assertEquals(List.of(), of(version, false, false), "another collector");
  }

  @ParameterizedTest
  @CsvSource({"21.0.9, false", "24.0.2, true", "25.0.3, true", "26.0.1, true", "27, false"})
  void warnsOfFaultyCompactHeaders(String version, boolean faulty) {
    assertEquals(faulty ? 1 : 0, of(version, false, true).size());
    assertEquals(List.of(), of(version, false, false), "the option is not set");
  }

  private static List<String> of(String version, boolean g1, boolean compactHeaders) {
    return JavaDefects.of(Runtime.Version.parse(version), g1, compactHeaders);
  }
}
