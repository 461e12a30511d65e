// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** The tables of TPC-H. */
package io.symshuffle.benchmarks.tpch;
