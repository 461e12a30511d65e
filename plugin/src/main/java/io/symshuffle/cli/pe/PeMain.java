// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cli.pe;

/** Runs a PE's process and reports a failure to the job as one sentence. */
public final class PeMain {
  /** Kind of the report of a failure. */
  static final String FAILED = "failed";

  private PeMain() {}

  /** The work of a PE. */
  @FunctionalInterface
  public interface Body {
    /**
     * Does the work.
     *
     * @throws Exception if it fails
     */
    void run(PeArguments job) throws Exception;
  }

  /** Runs a PE and then ends the process, even if threads of libraries are still running. */
  public static void run(String[] arguments, Body body) {
    int status = 0;
    try {
      body.run(PeArguments.parse(arguments));
    } catch (Exception | Error e) {
      e.printStackTrace();
      PeLine.print(FAILED, e.getMessage() == null ? e : e.getMessage());
      status = 1;
    }
    System.exit(status);
  }
}
