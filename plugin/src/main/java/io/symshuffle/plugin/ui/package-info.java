// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The tab SymShuffle in Spark's UI, live and in the History Server.
 *
 * <p>{@link io.symshuffle.plugin.ui.UiEvents} listens on the driver and posts what happens to
 * executors as events, which Spark writes to its event log. {@code UiState} collects the events,
 * live or when a log is replayed, and {@code PageContent} renders it.
 */
package io.symshuffle.plugin.ui;
