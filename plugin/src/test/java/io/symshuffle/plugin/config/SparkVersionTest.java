// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.apache.spark.package$;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SparkVersionTest {
  private static final String VERSION = System.getProperty("symshuffle.version");

  @ParameterizedTest
  @CsvSource({"4.1.3,4.1", "4.2.0-preview5,4.2", "3.5.1-amzn-0,3.5", "4.10.0,4.10", "4.1,4.1"})
  void dropsPatchLevel(String full, String expected) {
    assertEquals(expected, SparkVersion.of(full).text());
  }

  @Test
  void buildNamesTheSparkThatTestsRunOn() {
    String full = package$.MODULE$.SPARK_VERSION();
    assertEquals(SparkVersion.of(full), SparkVersion.ofThisJar());
    assertEquals(Optional.empty(), SparkVersion.mismatch(full));
    assertTrue(SparkVersion.SUPPORTED.contains(SparkVersion.ofThisJar()));
  }

  @Test
  void mismatchNamesTheRightJar() {
    SparkVersion other =
        SparkVersion.SUPPORTED.stream()
            .filter(version -> !version.equals(SparkVersion.ofThisJar()))
            .findFirst()
            .orElseThrow();
    assertEquals(
        Optional.of(
            "this jar is built for Spark %s, but this is Spark %s.9: use symshuffle-spark-%s_2.13-%s.jar."
                .formatted(SparkVersion.ofThisJar().text(), other.text(), other.text(), VERSION)),
        SparkVersion.mismatch(other.text() + ".9"));
  }
}
