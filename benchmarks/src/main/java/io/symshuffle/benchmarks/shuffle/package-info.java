// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** The benchmark of shuffle-bound jobs: what they are, and how they are run and reported. */
package io.symshuffle.benchmarks.shuffle;
