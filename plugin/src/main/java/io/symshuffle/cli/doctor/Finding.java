// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * What a check found.
 *
 * @param state how bad it is
 * @param found what was seen on this machine, a sentence without its full stop
 * @param ailment what it is; there is one when the state is WARN or FAIL
 */
record Finding(State state, String found, Optional<Ailment> ailment) {
  Finding {
    requireNonNull(state, "state is null");
    requireNonNull(found, "found is null");
    boolean ill = state == State.WARN || state == State.FAIL;
    if (ill != ailment.isPresent()) {
      throw new IllegalArgumentException(state + " with ailment " + ailment);
    }
  }

  static Finding ok(String found) {
    return new Finding(State.OK, found, Optional.empty());
  }

  static Finding skip(String found) {
    return new Finding(State.SKIP, found, Optional.empty());
  }

  static Finding warn(Ailment ailment, String found) {
    return new Finding(State.WARN, found, Optional.of(ailment));
  }

  static Finding fail(Ailment ailment, String found) {
    return new Finding(State.FAIL, found, Optional.of(ailment));
  }
}
