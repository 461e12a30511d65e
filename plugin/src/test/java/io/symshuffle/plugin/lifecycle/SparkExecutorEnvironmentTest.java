// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SparkExecutorEnvironmentTest {
  @Test
  void readsItsCoresFromTheCommandThatStartedIt() {
    assertEquals(
        12,
        coresOf(
            "org.apache.spark.executor.CoarseGrainedExecutorBackend --driver-url spark://d:1"
                + " --executor-id 0 --hostname h --cores 12 --app-id app-1"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Main", "Main --cores", "Main --cores many", "Main --cores 0"})
  void doesNotKnowItsCoresOtherwise(String command) {
    assertEquals(0, coresOf(command));
  }

  private static int coresOf(String command) {
    return SparkExecutorEnvironment.coresOf(command.split(" ", -1));
  }
}
