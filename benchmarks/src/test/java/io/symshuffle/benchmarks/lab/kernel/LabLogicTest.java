// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs the tests in {@code src/test/cuda}. Each run draws a new seed, and a failing test prints it;
 * {@code -Dkernel.seed=...} repeats the test. {@link FakeLabIT} runs the same kernels in every
 * build, without sanitizers.
 */
@Tag("long")
class LabLogicTest {
  private static final long SEED =
      Long.getLong("kernel.seed", ThreadLocalRandom.current().nextLong(1, 1L << 40));

  @TestFactory
  Stream<DynamicTest> kernelLogicHoldsOnTheHost() throws IOException, InterruptedException {
    return LabHostTests.PROGRAM
        .run("", "list")
        .output()
        .lines()
        .map(name -> DynamicTest.dynamicTest(name, () -> check(name)));
  }

  private static void check(String name) throws IOException, InterruptedException {
    ChildProcess.Result result = LabHostTests.PROGRAM.run("", Long.toString(SEED), name);
    assertEquals(0, result.status(), () -> "seed " + SEED + "\n" + result.output());
  }
}
