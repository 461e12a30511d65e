// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Runs the same work on several shuffle managers in turn and compares the results. */
package io.symshuffle.benchmarks.measure;
