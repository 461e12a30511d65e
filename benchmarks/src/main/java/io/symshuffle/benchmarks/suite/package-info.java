// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * {@code demo} and {@code bench tpcds}: each query of TPC-H or TPC-DS run with Spark's shuffle and
 * with SymShuffle, side by side.
 */
package io.symshuffle.benchmarks.suite;
