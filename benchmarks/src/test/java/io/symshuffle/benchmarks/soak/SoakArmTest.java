// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.soak;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cli.CliException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SoakArmTest {
  @Test
  void labelsAreUniform() {
    assertAll(
        () -> assertEquals("rapids", SoakArm.named("RAPIDS").label()),
        () -> assertEquals("rapids+malloc-perturb", SoakArm.named("malloc-perturb").label()),
        () ->
            assertEquals(
                SoakArm.named("symshuffle+launch-blocking+no-cuio-default"),
                SoakArm.named("no-cuio-default+symshuffle+launch-blocking")));
  }

  @Test
  void controlsChangeTheCircumstancesOfTheBase() {
    assertAll(
        () -> assertEquals(Map.of(), SoakArm.named("rapids").settings()),
        () ->
            assertEquals(
                Map.of("spark.executorEnv.MALLOC_PERTURB_", "165"),
                SoakArm.named("malloc-perturb").settings()),
        () ->
            assertEquals(
                Map.of(
                    "spark.symshuffle.device.required",
                    "true",
                    "spark.executorEnv.CUDA_LAUNCH_BLOCKING",
                    "1",
                    "spark.rapids.memory.pinnedPool.setCuioDefault",
                    "false"),
                SoakArm.named("symshuffle+launch-blocking+no-cuio-default").settings()));
  }

  @Test
  void unknownArmsAreRefusedWithTheKnownOnes() {
    for (String label :
        List.of("", "gpu", "rapids+", "rapids+gpu", "rapids+rapids", "rapids+symshuffle")) {
      String message =
          assertThrows(CliException.class, () -> SoakArm.named(label), label).getMessage();
      assertTrue(
          Stream.of("cpu", "rapids", "symshuffle", "malloc-perturb", "no-cuio-default")
              .allMatch(message::contains),
          message);
    }
  }
}
