// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** {@code bench jmh}: microbenchmarks with JMH. */
package io.symshuffle.benchmarks.jmh;
