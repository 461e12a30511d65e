// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SparkSettingsCheckTest {
  private final SparkSettingsCheck check = new SparkSettingsCheck("our.Plugin", "our.Manager");

  @Test
  void acceptsOurManagerOrNone() {
    assertDoesNotThrow(() -> check.check(new SparkConf(false)));
    assertDoesNotThrow(() -> check.check(with("spark.shuffle.manager", "our.Manager")));
    assertDoesNotThrow(() -> check.check(with("spark.shuffle.service.enabled", "false")));
    assertDoesNotThrow(() -> check.check(with("spark.dynamicAllocation.enabled", "true")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"sort", "tungsten-sort", "org.apache.spark.shuffle.sort.SortShuffleManager", "x"})
  void refusesAnotherManagerWithBothRemedies(String manager) {
    assertEquals(
        "SymShuffle cannot start: spark.shuffle.manager is '"
            + manager
            + "', but SymShuffle sets the shuffle manager itself: remove spark.shuffle.manager, or "
            + "remove our.Plugin from spark.plugins.",
        refused(with("spark.shuffle.manager", manager)));
  }

  @Test
  void refusesTheExternalShuffleService() {
    assertEquals(
        "SymShuffle cannot start: spark.shuffle.service.enabled is 'true', but the external "
            + "shuffle service cannot serve map outputs in a symmetric heap: set it to "
            + "false, or remove our.Plugin from spark.plugins.",
        refused(with("spark.shuffle.service.enabled", "true")));
  }

  private String refused(SparkConf conf) {
    return assertThrows(SymShuffleConfigException.class, () -> check.check(conf)).getMessage();
  }

  private static SparkConf with(String key, String value) {
    return new SparkConf(false).set(key, value);
  }
}
