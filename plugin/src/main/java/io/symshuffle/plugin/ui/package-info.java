// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The tab SymShuffle in Spark's UI, live and in the History Server.
 *
 * <p>Executors send a {@link io.symshuffle.plugin.ui.UsageReport} when their numbers have changed,
 * at most every few seconds. The driver posts each as an event, which Spark writes to its event
 * log; {@link io.symshuffle.plugin.ui.UiState} gathers the events, live or when a log is replayed,
 * and {@link io.symshuffle.plugin.ui.SymShufflePage} draws what it holds.
 */
package io.symshuffle.plugin.ui;
