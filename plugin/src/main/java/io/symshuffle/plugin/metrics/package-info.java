// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * What SymShuffle counts, published through Spark's metrics system; {@code docs/metrics.md} is
 * written from the tables here.
 */
package io.symshuffle.plugin.metrics;
