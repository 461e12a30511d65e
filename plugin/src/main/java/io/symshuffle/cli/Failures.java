// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import java.io.PrintWriter;

/** Prints why a command failed, with a stack trace only if requested. */
final class Failures {
  private Failures() {}

  /** Prints the failure and returns the exit status. */
  static int report(Throwable e, PrintWriter err, boolean debug) {
    boolean expected = e instanceof CliException;
    err.println("symshuffle: " + (expected ? e.getMessage() : "Unexpected error: " + e));
    if (debug) {
      e.printStackTrace(err);
    } else if (!expected) {
      err.println("Run it again with --debug to see the stack trace.");
    }
    return e instanceof CliException known ? known.exitStatus() : 1;
  }
}
