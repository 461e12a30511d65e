// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Starts benchmark applications with spark-submit, each in its own process, and talks to them.
 * Every wait has a limit, and no process outlives the command, however it ends.
 */
package io.symshuffle.benchmarks.launch;
