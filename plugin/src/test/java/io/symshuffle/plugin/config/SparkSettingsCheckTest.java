// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SparkSettingsCheckTest {
  private static final String MANAGER = "spark.shuffle.manager";
  private static final String SERVICE = "spark.shuffle.service.enabled";
  private static final String PUSH = "spark.shuffle.push.enabled";
  private static final String OLD_PROTOCOL = "spark.shuffle.useOldFetchProtocol";
  private static final String SKEW = "spark.shuffle.accurateBlockSkewedFactor";
  private static final String DYNAMIC = "spark.dynamicAllocation.enabled";
  private static final String TRACKING = "spark.dynamicAllocation.shuffleTracking.enabled";
  private static final String VERSION = SparkVersion.ofThisJar().text() + ".0";

  private final SparkSettingsCheck check = new SparkSettingsCheck("our.Plugin", "our.Manager");

  @Test
  void changesNothingThatFits() {
    for (SparkConf conf :
        new SparkConf[] {with(), with(MANAGER, "our.Manager"), with(SERVICE, "false")}) {
      Map<String, String> before = settings(conf);
      assertTrue(check.resolve(conf, VERSION, true));
      assertEquals(before, settings(conf));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"sort", "tungsten-sort", "org.apache.spark.shuffle.sort.SortShuffleManager"})
  void replacesSortShuffle(String manager) {
    SparkConf conf = with(MANAGER, manager);
    assertTrue(check.resolve(conf, VERSION, false));
    assertEquals(Map.of(MANAGER, "our.Manager"), settings(conf));
  }

  @Test
  void leavesApplicationToAnotherManagerAndChangesNothingElse() {
    SparkConf conf = with(MANAGER, "x", SERVICE, "true");
    assertFalse(check.resolve(conf, VERSION, false));
    assertEquals(
        Map.of(MANAGER, "x", SERVICE, "true", "spark.symshuffle.enabled", "false"), settings(conf));
  }

  @Test
  void isDisabledOnAnotherVersionOfSpark() {
    SparkConf conf = with();
    assertFalse(check.resolve(conf, "3.5.1", false));
    assertEquals(Map.of("spark.symshuffle.enabled", "false"), settings(conf));
  }

  @Test
  void keepsTheFactorThatTheUserSet() {
    SparkConf conf = with();
    SparkSettingsCheck.addDefaults(conf);
    assertEquals(Map.of(SKEW, "5"), settings(conf));
    SparkConf set = with(SKEW, "-1");
    SparkSettingsCheck.addDefaults(set);
    assertEquals(Map.of(SKEW, "-1"), settings(set));
  }

  @ParameterizedTest
  @ValueSource(strings = {SERVICE, PUSH, OLD_PROTOCOL})
  void turnsOffWhatServesOnlyFiles(String key) {
    SparkConf conf = with(key, "true");
    assertTrue(check.resolve(conf, VERSION, false));
    assertEquals(Map.of(key, "false"), settings(conf));
  }

  @Test
  void idleExecutorsStayWithoutTheService() {
    SparkConf conf = with(SERVICE, "true", DYNAMIC, "true", TRACKING, "false");
    assertTrue(check.resolve(conf, VERSION, false));
    assertEquals(Map.of(SERVICE, "false", DYNAMIC, "true", TRACKING, "true"), settings(conf));
  }

  @ParameterizedTest
  @CsvSource({"true, false", "false, true"})
  void idleExecutorsMayLeaveIfTheySendTheirMapOutputs(String sends, String tracking) {
    SparkConf conf =
        with(
                SERVICE,
                "true",
                DYNAMIC,
                "true",
                TRACKING,
                "false",
                "spark.decommission.enabled",
                "true")
            .set("spark.storage.decommission.enabled", sends);
    assertTrue(check.resolve(conf, VERSION, false));
    assertEquals(tracking, conf.get(TRACKING));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        MANAGER
            + " | x | 'x', but SymShuffle sets the shuffle manager itself: remove"
            + " spark.shuffle.manager, or remove our.Plugin from spark.plugins.",
        SERVICE
            + " | true | 'true', but the external shuffle service cannot serve map outputs in a"
            + " symmetric heap: set it to false, or remove our.Plugin from spark.plugins.",
        PUSH
            + " | true | 'true', but only files can be pushed to an external shuffle service: set"
            + " it to false, or remove our.Plugin from spark.plugins.",
        OLD_PROTOCOL
            + " | true | 'true', but under the old protocol map outputs have no unique names: set"
            + " it to false, or remove our.Plugin from spark.plugins.",
      })
  void refusesWithBothRemediesIfRequired(String key, String value, String rest) {
    SparkConf conf = with(key, value);
    assertEquals(
        "SymShuffle cannot start: %s is %s".formatted(key, rest),
        assertThrows(SymShuffleConfigException.class, () -> check.resolve(conf, VERSION, true))
            .getMessage());
    assertEquals(Map.of(key, value), settings(conf));
  }

  @Test
  void warnsOfDeletingTheShufflesOfDatasetsThatAreUsedAgain() {
    SparkConf conf = with(SparkSettingsCheck.CLEANUP_KEY, "true");
    assertTrue(check.resolve(conf, VERSION, true));
    assertEquals(Map.of(SparkSettingsCheck.CLEANUP_KEY, "true"), settings(conf));
    assertTrue(SparkSettingsCheck.risk(conf).orElseThrow().contains("more than once"));
    assertEquals(Optional.empty(), SparkSettingsCheck.risk(with()));
    conf = with(SparkSettingsCheck.CLEANUP_KEY, "false");
    assertEquals(Optional.empty(), SparkSettingsCheck.risk(conf));
  }

  @Test
  void changesTheSettingsThatThePageNames() throws IOException {
    Map<String, String> named = new TreeMap<>();
    Pattern row = Pattern.compile("(?m)^\\| `(spark[^=`]+)=([^`]+)` \\| `(false)`");
    String page = Files.readString(Path.of("../docs/compatibility.md"));
    for (MatchResult each : row.matcher(page).results().toList()) {
      SparkConf conf = with(each.group(1), each.group(2));
      check.resolve(conf, VERSION, false);
      named.putAll(settings(conf));
    }
    assertEquals(Map.of(SERVICE, "false", PUSH, "false", OLD_PROTOCOL, "false"), named);
  }

  private static SparkConf with(String... keysAndValues) {
    SparkConf conf = new SparkConf(false);
    for (int i = 0; i < keysAndValues.length; i += 2) {
      conf.set(keysAndValues[i], keysAndValues[i + 1]);
    }
    return conf;
  }

  private static Map<String, String> settings(SparkConf conf) {
    return new TreeMap<>(ConfigReader.textOf(conf));
  }
}
