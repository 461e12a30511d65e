// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** The demonstration: TPC-H with Spark's own shuffle and with ours, side by side. */
package io.symshuffle.benchmarks.demo;
