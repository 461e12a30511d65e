// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Suites of queries over generated tables, TPC-H and TPC-DS, each query run with Spark's own
 * shuffle and with ours side by side: the commands {@code demo} and {@code bench tpcds}.
 */
package io.symshuffle.benchmarks.suite;
