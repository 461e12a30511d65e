// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.launch.Mistakes;
import org.junit.jupiter.api.Test;

class TpcdsCommandTest {
  @Test
  void unknownQueryIsRefusedWithTheKnownOnes() {
    String message = mistake("--queries", "q14,q100");
    assertAll(
        () -> assertTrue(message.contains("Unknown query 'q14', 'q100';"), message),
        () -> assertTrue(message.contains("q14a, q14b"), message));
  }

  @Test
  void runsAndWarmUpsAreLimited() {
    assertAll(
        () -> assertTrue(mistake("--runs", "0").contains("--runs")),
        () -> assertTrue(mistake("--warm-ups", "1001").contains("--warm-ups")));
  }

  @Test
  void reportInAMissingFolderIsRefusedBeforeTheRun() {
    assertTrue(mistake("--json", "no/such/folder/tpcds.json").contains("does not exist"));
  }

  private static String mistake(String... arguments) {
    return Mistakes.messageOf(new TpcdsCommand(), arguments);
  }
}
