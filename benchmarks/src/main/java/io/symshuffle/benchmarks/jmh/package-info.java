// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Microbenchmarks of single parts, run by JMH in processes of their own. */
package io.symshuffle.benchmarks.jmh;
