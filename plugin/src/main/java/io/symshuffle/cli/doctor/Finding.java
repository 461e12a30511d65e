// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.List;
import java.util.Optional;

/**
 * What a check found.
 *
 * @param state how bad it is
 * @param found what was seen on this machine, a sentence without its final period
 * @param problem which problem this is; present if the state is WARN or FAIL
 */
record Finding(State state, String found, Optional<KnownProblem> problem) {
  /** How bad a finding is. */
  enum State {
    /** Fine. */
    OK,
    /** Not examined, for a reason that is not a fault. */
    SKIP,
    /** It works, but slower than it could or only in part. */
    WARN,
    /** It will not work. */
    FAIL
  }

  Finding {
    boolean hasProblem = state == State.WARN || state == State.FAIL;
    if (hasProblem != problem.isPresent()) {
      throw new IllegalArgumentException(state + " with problem " + problem);
    }
  }

  static Finding ok(String found) {
    return new Finding(State.OK, found, Optional.empty());
  }

  static Finding skip(String found) {
    return new Finding(State.SKIP, found, Optional.empty());
  }

  static Finding warn(KnownProblem problem, String found) {
    return new Finding(State.WARN, found, Optional.of(problem));
  }

  static Finding fail(KnownProblem problem, String found) {
    return new Finding(State.FAIL, found, Optional.of(problem));
  }

  /** Returns the findings, or that all is well if there are none. */
  static List<Finding> orOk(List<Finding> findings, String otherwise) {
    return findings.isEmpty() ? List.of(ok(otherwise)) : findings;
  }
}
