// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** JMH and end-to-end benchmarks, which compare SymShuffle with its rivals in the same run. */
package io.symshuffle.benchmarks;
