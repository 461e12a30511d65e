// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.launch.Mistakes;
import org.junit.jupiter.api.Test;

class DemoCommandTest {
  @Test
  void unknownQueryIsRefused() {
    assertTrue(mistake("--queries", "q1,q23").contains("Unknown query 'q23'; choose from q1, "));
    assertTrue(mistake("--queries", "").contains("Unknown query ''; choose from q1, "));
  }

  @Test
  void invalidScaleIsRefused() {
    assertAll(
        () -> assertTrue(mistake("--scale", "0").startsWith("--scale is 0.0; it must be above 0")),
        () -> assertTrue(mistake("--scale", "-1").contains("--scale")),
        () -> assertTrue(mistake("--scale", "NaN").contains("--scale")));
  }

  @Test
  void numbersOfRunsAreRefusedOneByOne() {
    assertEquals("--runs is 0; it must be from 1 to 1000.", mistake("--runs", "0"));
    assertEquals("--warm-ups is 2000; it must be from 0 to 1000.", mistake("--warm-ups", "2k"));
  }

  @Test
  void optionsOfGpusAreRefusedWithoutGpus() {
    assertEquals("--gpu-pool has no effect without --rapids JAR.", mistake("--gpu-pool", "4g"));
    assertEquals(
        "--rapids-libs has no effect without --rapids JAR.", mistake("--rapids-libs", "/tmp"));
    assertEquals("--gpu-cores has no effect without --rapids JAR.", mistake("--gpu-cores", "4"));
  }

  @Test
  void unknownManagerIsRefusedWithTheKnownOnes() {
    String message = mistake("--managers", "sort,fast");
    assertAll(
        () -> assertTrue(message.contains("'fast'"), message),
        () -> assertTrue(message.contains("symshuffle"), message));
  }

  private static String mistake(String... arguments) {
    return Mistakes.messageOf(new DemoCommand(), arguments);
  }
}
