// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** {@code bench shuffle}: shuffle-bound jobs compared between shuffle managers. */
package io.symshuffle.benchmarks.shuffle;
