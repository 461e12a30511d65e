// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Tables, pages and files that say what a benchmark found, and on what machine. */
package io.symshuffle.benchmarks.report;
