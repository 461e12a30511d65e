// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import static java.util.Objects.requireNonNull;

/**
 * Something that can be wrong, as a user meets it.
 *
 * @param id short and stable, for programs and for links into the documentation
 * @param symptom what is seen or logged
 * @param cause why
 * @param remedy the setting to change or the command to run
 */
record Ailment(String id, String symptom, String cause, String remedy) {
  Ailment {
    requireNonNull(id, "id is null");
    requireNonNull(symptom, "symptom is null");
    requireNonNull(cause, "cause is null");
    requireNonNull(remedy, "remedy is null");
    if (!id.matches("[a-z0-9]+(-[a-z0-9]+)*")) {
      throw new IllegalArgumentException("'" + id + "' is no id of an ailment");
    }
  }
}
