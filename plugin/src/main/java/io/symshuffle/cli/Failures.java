// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import java.io.PrintWriter;

/** Says how a command failed, in a sentence where that is enough. */
final class Failures {
  private Failures() {}

  /** Prints the failure and returns the exit status. */
  static int report(Throwable e, PrintWriter err, boolean debug) {
    boolean expected = e instanceof CliException;
    err.println("symshuffle: " + (expected ? e.getMessage() : "unexpected failure: " + e));
    if (debug) {
      e.printStackTrace(err);
    } else if (!expected) {
      err.println("The option --debug shows where it happened.");
    }
    return e instanceof CliException known ? known.exitStatus() : 1;
  }
}
