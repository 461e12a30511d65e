// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.cli.CliException;
import picocli.CommandLine.Option;

/** The options for which applications of a comparison run at once. */
public final class StartOptions {
  private static final int MAX_STARTS = 100;

  @Option(
      names = "--one-at-a-time",
      description =
          "Start an application, run all work on it, and end it before the next one starts. Each"
              + " has the machine and the whole GPUs for itself, which it shares otherwise.")
  private boolean oneAtATime;

  @Option(
      names = "--starts",
      paramLabel = "N",
      description =
          "With --one-at-a-time: start each application N times, in turn; default 1. All starts"
              + " together have N times --runs timed runs.")
  private Integer starts;

  void check() {
    if (starts == null) {
      return;
    }
    CliException.checkEffect("--starts", starts, oneAtATime, "--one-at-a-time");
    if (starts < 1 || starts > MAX_STARTS) {
      throw CliException.wrongUsage(
          "--starts is %d; it must be from 1 to %d.".formatted(starts, MAX_STARTS));
    }
  }

  /** Returns whether each application runs alone. */
  public boolean oneAtATime() {
    return oneAtATime;
  }

  /** Returns how often each application starts. */
  public int number() {
    return starts == null ? 1 : starts;
  }
}
