// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * What applications run: the shuffle-bound jobs, and the TPC-H and TPC-DS queries with the tables
 * that they read.
 */
package io.symshuffle.benchmarks.workload;
