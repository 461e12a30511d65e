// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * {@code bench rapids-soak}: the same query again and again on the GPUs, with and without
 * SymShuffle, until a value is wrong.
 */
package io.symshuffle.benchmarks.soak;
