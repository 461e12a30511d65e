// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The comparison of {@code demo}, {@code bench tpcds} and {@code bench shuffle}: the same jobs with
 * several shuffle managers in turn, and one report of them.
 */
package io.symshuffle.benchmarks.comparison;
