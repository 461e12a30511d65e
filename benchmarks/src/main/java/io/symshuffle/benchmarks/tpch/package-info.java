// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** TPC-H for Spark: tables as Parquet, generated once and kept, and the 22 queries. */
package io.symshuffle.benchmarks.tpch;
