// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.rapids;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RapidsChoiceTest {
  private static final String MODE = "spark.symshuffle.rapids.mode";
  private static final String BOTH = "io.symshuffle.SymShufflePlugin,com.nvidia.spark.SQLPlugin";

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"auto", "device", "host"})
  void changesNothingWithoutRapids(String mode) {
    SparkConf conf = conf().set("spark.plugins", "io.symshuffle.SymShufflePlugin");
    new RapidsChoice(conf, "io.symshuffle.SymShufflePlugin", getClass().getClassLoader())
        .decide(mode);
    assertHost(conf);
  }

  @Test
  void keepsTablesOnTheHostIfTheUserSaysSo() throws IOException {
    SparkConf conf = conf().set("spark.plugins", BOTH);
    new RapidsChoice(conf, "io.symshuffle.SymShufflePlugin", rapids("26.08.1")).decide("host");
    assertHost(conf);
  }

  @Test
  void fallsBackWithoutTheRapidsJar() {
    SparkConf conf = conf().set("spark.plugins", BOTH);
    new RapidsChoice(conf, "io.symshuffle.SymShufflePlugin", getClass().getClassLoader())
        .decide("auto");
    assertHost(conf);
  }

  @Test
  void fallsBackWithAnUnsupportedVersion() throws IOException {
    SparkConf conf = conf().set("spark.plugins", BOTH);
    new RapidsChoice(conf, "io.symshuffle.SymShufflePlugin", rapids("27.02.0")).decide("auto");
    assertHost(conf);
  }

  @Test
  void fallsBackWhenTheJarLacksRequiredClasses() throws IOException {
    for (String mode : new String[] {"auto", "device"}) {
      SparkConf conf = conf().set("spark.plugins", BOTH);
      new RapidsChoice(conf, "io.symshuffle.SymShufflePlugin", rapids("26.08.1")).decide(mode);
      assertHost(conf);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "spark.authenticate, true",
    "spark.io.encryption.enabled, true",
    "spark.sql.shuffle.orderIndependentChecksum.enabled, true",
    "spark.rapids.shuffle.enabled, false",
    "spark.rapids.shuffle.compression.codec, lz4",
    "spark.rapids.shuffle.mode, MULTITHREADED"
  })
  void fallsBackUnderSettingsThatMoveTablesOffTheGpu(String key, String value) throws IOException {
    SparkConf conf = conf().set("spark.plugins", BOTH).set(key, value);
    new RapidsChoice(conf, "io.symshuffle.SymShufflePlugin", rapids("26.08.1")).decide("auto");
    assertEquals("host", conf.get(MODE));
    assertEquals(value, conf.get(key));
  }

  @Test
  void readsTheVersionFromTheJar() throws IOException {
    assertEquals(Optional.of("26.08.1"), RapidsVersion.find(rapids("26.08.1")));
    assertEquals(Optional.empty(), RapidsVersion.find(getClass().getClassLoader()));
    assertTrue(RapidsVersion.isKnown("26.08"));
    assertTrue(RapidsVersion.isKnown("26.08.2"));
    assertFalse(RapidsVersion.isKnown("26.080.1"));
    assertFalse(RapidsVersion.isKnown("25.08.1"));
  }

  private static SparkConf conf() {
    return new SparkConf(false);
  }

  private static void assertHost(SparkConf conf) {
    assertEquals("host", conf.get(MODE));
    assertFalse(conf.contains("spark.rapids.shuffle.mode"));
    assertFalse(conf.contains("spark.sql.shuffle.orderIndependentChecksum.enabled"));
  }

  /** A class path on which only the version is RAPIDS'. */
  private ClassLoader rapids(String version) throws IOException {
    Files.writeString(
        folder.resolve("rapids4spark-version-info.properties"), "version=" + version + "\n");
    return new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader());
  }
}
