// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import static java.util.Objects.requireNonNull;

/**
 * Something that can be wrong, from the user's point of view. The texts are sentences without their
 * final period.
 *
 * @param id short and stable, for programs and for links into the documentation
 * @param symptom what the user sees or finds in a log
 * @param cause why
 * @param remedy the setting to change or the command to run
 */
record KnownProblem(String id, String symptom, String cause, String remedy) {
  KnownProblem {
    requireNonNull(id, "id is null");
    requireNonNull(symptom, "symptom is null");
    requireNonNull(cause, "cause is null");
    requireNonNull(remedy, "remedy is null");
    if (!id.matches("[a-z0-9]+(-[a-z0-9]+)*")) {
      throw new IllegalArgumentException("'" + id + "' is not a valid id of a problem");
    }
  }
}
