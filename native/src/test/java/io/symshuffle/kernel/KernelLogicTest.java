// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs the tests in {@code src/test/cuda}. The seed is drawn anew each time and printed by a test
 * that fails; {@code -Dkernel.seed=...} repeats it.
 */
class KernelLogicTest {
  private static final long SEED =
      Long.getLong("kernel.seed", ThreadLocalRandom.current().nextLong(1, 1L << 40));

  @TestFactory
  Stream<DynamicTest> theKernelsLogicHoldsOnTheHost() throws IOException, InterruptedException {
    return HostTests.run("", "list")
        .output()
        .lines()
        .map(name -> DynamicTest.dynamicTest(name, () -> check(name)));
  }

  private static void check(String name) throws IOException, InterruptedException {
    ChildProcess.Result result = HostTests.run("", Long.toString(SEED), name);
    assertEquals(0, result.status(), () -> "seed " + SEED + "\n" + result.output());
  }
}
