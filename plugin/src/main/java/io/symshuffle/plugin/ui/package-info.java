// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The tab SymShuffle in Spark's UI, live and in the History Server.
 *
 * <p>The driver posts what happens to executors as events, which Spark writes to its event log.
 * {@code UiState} collects the events, live or when a log is replayed, and {@code PageContent}
 * renders it.
 *
 * <p>The History Server loads these classes on any Java that Spark supports. So this package and
 * {@link io.symshuffle.plugin.usage} are compiled for Java 17, and use no others of ours.
 */
package io.symshuffle.plugin.ui;
