// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Tables, pages and files with the results of benchmarks. */
package io.symshuffle.benchmarks.report;
