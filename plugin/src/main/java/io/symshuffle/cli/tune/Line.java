// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import static java.util.Objects.requireNonNull;

/**
 * A setting to be made.
 *
 * @param key its name
 * @param value its value
 * @param reason why, in a sentence
 */
record Line(String key, String value, String reason) {
  Line {
    requireNonNull(key, "key is null");
    requireNonNull(value, "value is null");
    requireNonNull(reason, "reason is null");
  }
}
