// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import static java.util.Objects.requireNonNull;

/**
 * A recommended setting.
 *
 * @param key its name
 * @param value its value
 * @param reason why, a sentence without its final period
 */
record Recommendation(String key, String value, String reason) {
  Recommendation {
    requireNonNull(key, "key is null");
    requireNonNull(value, "value is null");
    requireNonNull(reason, "reason is null");
  }
}
