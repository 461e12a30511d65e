// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * {@code bench curve}: reports of comparisons on different numbers of GPUs as one curve, for each
 * manager.
 */
package io.symshuffle.benchmarks.curve;
