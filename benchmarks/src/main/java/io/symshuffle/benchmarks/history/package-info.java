// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Histories of what the executors of a host did with shared memory, and a check that no read
 * overlaps a free and no published map output was missing. {@link
 * io.symshuffle.benchmarks.history.Recorder} writes one file per executor; {@link
 * io.symshuffle.benchmarks.history.HistoryCheck} reads all of them afterwards.
 */
package io.symshuffle.benchmarks.history;
