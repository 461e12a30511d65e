// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.List;

/**
 * How a child process ended.
 *
 * @param status its exit status; -1 when it could not be started
 * @param timedOut whether it was ended because its time was up
 * @param output what it printed, the end of it
 */
record ChildOutcome(int status, boolean timedOut, List<String> output) {
  ChildOutcome {
    output = List.copyOf(output);
  }

  boolean passed() {
    return status == 0 && !timedOut;
  }

  /** {@return how it ended, in a few words} */
  String ending() {
    if (timedOut) {
      return "did not end in time and was ended";
    }
    return switch (status) {
      case -1 -> "could not be started";
      case 134 -> "was aborted (status 134)";
      case 137 -> "was killed (status 137)";
      case 139 -> "crashed (status 139)";
      default -> "ended with status " + status;
    };
  }
}
