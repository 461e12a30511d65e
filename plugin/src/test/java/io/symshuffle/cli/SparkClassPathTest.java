// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SparkClassPathTest {
  private static final String[] VERSION = {"version"};

  @TempDir private Path home;

  @Test
  void isCompleteWithSlf4jAndJackson() {
    assertTrue(SparkClassPath.isComplete());
  }

  @Test
  void saysWhatItNeedsWithoutSpark() {
    CliException unset =
        assertThrows(CliException.class, () -> SparkClassPath.restart(VERSION, Map.of()));
    CliException empty =
        assertThrows(
            CliException.class,
            () -> SparkClassPath.restart(VERSION, Map.of("SPARK_HOME", home.toString())));
    assertAll(
        () -> assertEquals(2, unset.exitStatus()),
        () -> assertTrue(unset.getMessage().contains("Set SPARK_HOME"), unset.getMessage()),
        () -> assertEquals(2, empty.exitStatus()),
        () ->
            assertTrue(empty.getMessage().contains("no jackson-databind jar"), empty.getMessage()));
  }
}
