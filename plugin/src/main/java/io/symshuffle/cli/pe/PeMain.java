// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cli.pe;

/**
 * How a PE's process runs and ends: a failure goes to the job as one sentence, then the process
 * ends.
 */
public final class PeMain {
  /** Kind of the line that tells a failure. */
  static final String FAILED = "failed";

  private PeMain() {}

  /** What a PE does. */
  @FunctionalInterface
  public interface Body {
    /**
     * Does it.
     *
     * @param job what it was started with
     * @throws Exception when it cannot
     */
    void run(PeArguments job) throws Exception;
  }

  /**
   * Runs a PE to its end, which is the end of the process too: threads of libraries do not keep it.
   *
   * @param arguments of the main method
   * @param body what to do
   */
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
