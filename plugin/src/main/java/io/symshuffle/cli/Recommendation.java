// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

/**
 * A recommended setting.
 *
 * @param reason why, a sentence without its final period
 */
public record Recommendation(String key, String value, String reason) {}
