// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.symshuffle.cli.CliException;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;

/** Mistakes of users that a command finds before it starts anything. */
public final class Mistakes {
  private Mistakes() {}

  /** Runs a command, which must reject the arguments as invalid usage, and returns its message. */
  public static String messageOf(Callable<Integer> command, String... arguments) {
    AtomicReference<Exception> failure = new AtomicReference<>();
    TestCommandLine.of(command)
        .setExecutionExceptionHandler(
            (e, line, result) -> {
              failure.set(e);
              return 1;
            })
        .execute(arguments);
    CliException mistake = assertInstanceOf(CliException.class, failure.get());
    assertEquals(2, mistake.exitStatus(), mistake.getMessage());
    return mistake.getMessage();
  }
}
