// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** {@code bench collectives}, which times {@link io.symshuffle.benchmarks.barrier collectives}. */
package io.symshuffle.benchmarks.collectives;
