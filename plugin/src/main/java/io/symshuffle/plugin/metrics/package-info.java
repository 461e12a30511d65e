// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * What SymShuffle counts: gauges for Spark's metrics system, from the tables in {@link
 * io.symshuffle.plugin.metrics.ExecutorMetrics} and {@link
 * io.symshuffle.plugin.metrics.DriverMetrics}, which {@code docs/operations.md} lists; and the
 * reporter that sends an executor's {@link io.symshuffle.plugin.usage.UsageReport}s to the driver
 * for the UI.
 */
package io.symshuffle.plugin.metrics;
