// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * Access to private fields of Spark's row serializer, the only private members of Spark that
 * SymShuffle uses.
 */
package io.symshuffle.shuffle.serializer;
