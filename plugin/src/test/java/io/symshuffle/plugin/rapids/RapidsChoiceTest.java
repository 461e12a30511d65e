// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.rapids;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.rapids.RapidsMismatchException;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RapidsChoiceTest {
  private static final String MODE = "spark.symshuffle.rapids.mode";
  private static final String BOTH = "io.symshuffle.SymShufflePlugin,com.nvidia.spark.SQLPlugin";

  private static final String OURS = "io.symshuffle.SymShufflePlugin";
  private static final String SHARE_POOL = "spark.rapids.memory.pinnedPool.setCuioDefault";
  private static final String PASSED = "spark.plugins.internal.conf.com.nvidia.spark.SQLPlugin.";
  private static final String CHECKSUM = "spark.sql.shuffle.orderIndependentChecksum.enabled";
  private static final String PARTITIONS = "spark.sql.shuffle.partitions";
  private static final String CHECKSUM_RETRY =
      "spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch";

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"auto", "device", "host"})
  void changesNothingWithoutRapids(String mode) {
    SparkConf conf = conf().set("spark.plugins", "io.symshuffle.SymShufflePlugin");
    new RapidsChoice(conf, "io.symshuffle.SymShufflePlugin", getClass().getClassLoader())
        .decide(mode, OptionalInt.of(1));
    assertHost(conf);
  }

  @Test
  void keepsTablesOnTheHostIfTheUserSaysSo() throws IOException {
    SparkConf conf = conf().set("spark.plugins", BOTH);
    new RapidsChoice(conf, "io.symshuffle.SymShufflePlugin", rapids("26.08.1"))
        .decide("host", OptionalInt.of(1));
    assertHost(conf);
  }

  @Test
  void fallsBackWithAnUnsupportedVersion() throws IOException {
    SparkConf conf = conf().set("spark.plugins", BOTH);
    new RapidsChoice(conf, "io.symshuffle.SymShufflePlugin", rapids("27.02.0"))
        .decide("auto", OptionalInt.of(1));
    assertHost(conf);
  }

  @Test
  void fallsBackWhenTheJarLacksRequiredClasses() throws IOException {
    for (String mode : new String[] {"auto", "device"}) {
      SparkConf conf = conf().set("spark.plugins", BOTH);
      new RapidsChoice(conf, "io.symshuffle.SymShufflePlugin", rapids("26.08.1"))
          .decide(mode, OptionalInt.of(1));
      assertHost(conf);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "spark.authenticate, true",
    "spark.rapids.shuffle.enabled, false",
    "spark.rapids.shuffle.compression.codec, lz4",
    "spark.rapids.shuffle.mode, MULTITHREADED"
  })
  void fallsBackUnderSettingsThatMoveTablesOffTheGpu(String key, String value) throws IOException {
    SparkConf conf = conf().set("spark.plugins", BOTH).set(key, value);
    choice(conf, new FakeRapids());
    assertEquals("host", conf.get(MODE));
    assertEquals(value, conf.get(key));
  }

  @Test
  void keepsTablesOnTheGpus() throws IOException {
    SparkConf conf = conf().set("spark.plugins", BOTH);
    choice(conf, new FakeRapids()).start(false);
    assertEquals("device", conf.get(MODE));
    assertEquals("UCX", conf.get("spark.rapids.shuffle.mode"));
    assertFalse(conf.contains(CHECKSUM), "Spark's default");
    assertFalse(conf.contains(CHECKSUM_RETRY), "Spark's default");
  }

  @Test
  void keepsTablesOnTheGpusIfRowsCannotBeHashed() throws IOException {
    SparkConf conf = conf().set("spark.plugins", BOTH);
    choice(conf, new FakeRapids().withoutRowHashes());
    assertEquals("device", conf.get(MODE));
  }

  @Test
  void fallsBackIfTheUserWantsRowChecksumsAndRowsCannotBeHashed() throws IOException {
    SparkConf conf = conf().set("spark.plugins", BOTH).set(CHECKSUM, "true");
    choice(conf, new FakeRapids().withoutRowHashes());
    assertEquals("host", conf.get(MODE));
    assertEquals("true", conf.get(CHECKSUM), "the user's value");
    assertFalse(conf.contains(CHECKSUM_RETRY), "Spark's default");
  }

  @Test
  void separatesPinnedPoolOfCudf() throws IOException {
    SparkConf conf = conf().set("spark.plugins", BOTH);
    choice(conf, new FakeRapids());
    assertEquals("false", conf.get(SHARE_POOL));
    assertFalse(conf.contains(PASSED + SHARE_POOL), "RAPIDS passes it itself");
  }

  @Test
  void separatesPinnedPoolOfCudfIfRapidsHasStarted() throws IOException {
    SparkConf conf =
        conf().set("spark.plugins", "com.nvidia.spark.SQLPlugin,io.symshuffle.SymShufflePlugin");
    choice(conf, new FakeRapids());
    assertEquals("false", conf.get(PASSED + SHARE_POOL));
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void keepsPinnedPoolOfUser(String value) throws IOException {
    SparkConf conf = conf().set("spark.plugins", BOTH).set(SHARE_POOL, value);
    choice(conf, new FakeRapids());
    assertEquals(value, conf.get(SHARE_POOL));
  }

  @ParameterizedTest
  @CsvSource({"1, 64", "2, 128", "3, 128", "4, 128", "5,", "1000,"})
  void choosesFewerPartitionsThanSparkForFewGpus(int executors, String partitions)
      throws IOException {
    SparkConf conf = conf().set("spark.plugins", BOTH);
    decide(conf, new FakeRapids(), OptionalInt.of(executors));
    assertEquals(partitions, conf.get(PARTITIONS, null));
  }

  @Test
  void keepsPartitionsIfTheNumberOfGpusIsUnknown() throws IOException {
    SparkConf conf = conf().set("spark.plugins", BOTH);
    decide(conf, new FakeRapids(), OptionalInt.empty());
    assertEquals("device", conf.get(MODE));
    assertFalse(conf.contains(PARTITIONS));
  }

  @ParameterizedTest
  @ValueSource(strings = {PARTITIONS, "spark.sql.adaptive.coalescePartitions.initialPartitionNum"})
  void keepsPartitionsOfUser(String key) throws IOException {
    SparkConf conf = conf().set("spark.plugins", BOTH).set(key, "7");
    choice(conf, new FakeRapids());
    assertEquals("7", conf.get(key));
    assertEquals(key.equals(PARTITIONS), conf.contains(PARTITIONS));
  }

  @Test
  void opensSeveralConnectionsUnlessTheUserDecided() throws IOException {
    String key = "spark.shuffle.io.numConnectionsPerPeer";
    SparkConf chosen = conf().set("spark.plugins", BOTH);
    choice(chosen, new FakeRapids());
    assertEquals("4", chosen.get(key));
    SparkConf users = conf().set("spark.plugins", BOTH).set(key, "1");
    choice(users, new FakeRapids());
    assertEquals("1", users.get(key));
    SparkConf host = conf().set("spark.plugins", BOTH);
    new RapidsChoice(host, OURS, rapids("26.08.1"), new FakeRapids())
        .decide("host", OptionalInt.of(1));
    assertFalse(host.contains(key));
  }

  @Test
  void fallsBackWhenRapidsCannotBeStartedOnTheDriver() throws IOException {
    SparkConf conf =
        conf()
            .set("spark.plugins", BOTH)
            .set(CHECKSUM, "false")
            .set("spark.rapids.shuffle.mode", "UCX");
    FakeRapids rapids = new FakeRapids().withoutRowHashes();
    rapids.failure = Optional.of("its shuffle environment cannot be set");
    choice(conf, rapids).start(false);
    assertEquals("host", conf.get(MODE));
    assertEquals("UCX", conf.get("spark.rapids.shuffle.mode"), "the user's value");
    assertEquals("false", conf.get(CHECKSUM), "the user's value");
    assertFalse(conf.contains(CHECKSUM_RETRY), "Spark's default");
  }

  @Test
  void fallsBackWhenAnExecutorFailsItsSelfTest() throws IOException {
    SparkConf conf = conf().set("spark.plugins", BOTH);
    FakeRapids rapids = new FakeRapids();
    RapidsChoice choice = choice(conf, rapids);
    choice.start(false);
    choice.tablesUnavailable("3", "a packed table was read back as []");
    choice.tablesUnavailable("4", "a packed table was read back as []");
    assertHost(conf);
    assertEquals(List.of("driver", "host"), rapids.calls);
  }

  @Test
  void ignoresExecutorsWithoutTablesOnTheHost() throws IOException {
    SparkConf conf = conf().set("spark.plugins", BOTH);
    FakeRapids rapids = new FakeRapids();
    RapidsChoice choice = new RapidsChoice(conf, OURS, rapids("26.08.1"), rapids);
    choice.decide("host", OptionalInt.of(1));
    choice.start(false);
    choice.tablesUnavailable("3", "no GPU");
    assertEquals(List.of(), rapids.calls);
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

  private static final class FakeRapids implements RapidsChoice.Rapids {
    private final List<String> calls = new ArrayList<>();
    private Optional<String> failure = Optional.empty();

    private Optional<String> noRowHashes = Optional.empty();

    private FakeRapids withoutRowHashes() {
      noRowHashes = Optional.of("rows cannot be hashed");
      return this;
    }

    @Override
    public Optional<String> check() {
      return noRowHashes;
    }

    @Override
    public void onDriver() throws RapidsMismatchException {
      if (failure.isPresent()) {
        throw new RapidsMismatchException(failure.get(), null);
      }
      calls.add("driver");
    }

    @Override
    public void onExecutor() {
      calls.add("executor");
    }

    @Override
    public void returnToHost() {
      calls.add("host");
    }
  }

  /** Decides with {@code auto} for one executor. */
  private RapidsChoice choice(SparkConf conf, FakeRapids rapids) throws IOException {
    return decide(conf, rapids, OptionalInt.of(1));
  }

  private RapidsChoice decide(SparkConf conf, FakeRapids rapids, OptionalInt executors)
      throws IOException {
    RapidsChoice choice = new RapidsChoice(conf, OURS, rapids("26.08.1"), rapids);
    choice.decide("auto", executors);
    return choice;
  }

  private static SparkConf conf() {
    return new SparkConf(false);
  }

  private static void assertHost(SparkConf conf) {
    assertEquals("host", conf.get(MODE));
    assertFalse(conf.contains("spark.rapids.shuffle.mode"));
    assertFalse(conf.contains("spark.sql.shuffle.orderIndependentChecksum.enabled"));
    assertFalse(conf.contains(PARTITIONS));
  }

  /** A class path on which only the version is RAPIDS'. */
  private ClassLoader rapids(String version) throws IOException {
    Files.writeString(
        folder.resolve("rapids4spark-version-info.properties"), "version=" + version + "\n");
    return new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader());
  }
}
