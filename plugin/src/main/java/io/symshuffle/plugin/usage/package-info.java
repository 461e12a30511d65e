// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * What executors report to the driver. Compiled for Java 17, because the reports are part of
 * Spark's event log, which the History Server reads.
 */
package io.symshuffle.plugin.usage;
