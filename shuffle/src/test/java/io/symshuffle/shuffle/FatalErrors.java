// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle;

import static org.junit.jupiter.api.Assertions.assertFalse;

import org.apache.spark.executor.Executor$;

/** Which failures of a task make Spark end the executor. */
public final class FatalErrors {
  /** The default of {@code spark.executor.killOnFatalError.depth}. */
  private static final int DEPTH = 5;

  private FatalErrors() {}

  /** Asserts that a failure is not fatal, and neither are its causes. */
  public static void assertNone(Throwable failure) {
    assertFalse(
        Executor$.MODULE$.isFatalError(failure, DEPTH),
        () -> "Spark would end the executor because of " + failure + ": " + failure.getCause());
  }
}
