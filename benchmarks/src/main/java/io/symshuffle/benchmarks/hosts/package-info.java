// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Shuffle managers compared on several hosts with links of limited rates. */
package io.symshuffle.benchmarks.hosts;
