// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** The command {@code bench} and the interface of its benchmarks. */
package io.symshuffle.benchmarks.bench;
