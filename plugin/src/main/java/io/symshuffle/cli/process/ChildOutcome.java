// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.process;

import java.util.List;

/**
 * How a child process ended.
 *
 * @param status its exit status; -1 if it could not be started
 * @param timedOut whether it was killed because it ran out of time
 * @param output the last lines of its output
 */
public record ChildOutcome(int status, boolean timedOut, List<String> output) {
  /** Copies the list. */
  public ChildOutcome {
    output = List.copyOf(output);
  }

  /** {@return whether it ended in time with exit status 0} */
  public boolean passed() {
    return status == 0 && !timedOut;
  }

  /** {@return how it ended, as a predicate such as "crashed (status 139)"} */
  public String ending() {
    if (timedOut) {
      return "did not finish in time and was killed";
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
