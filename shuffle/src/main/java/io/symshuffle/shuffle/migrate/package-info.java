// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Moves map outputs of executors that Spark decommissions to other executors. The sender lists and
 * sends its map outputs when Spark asks for them; the receiver stores each of them as its own and
 * reports the new place to the driver.
 */
package io.symshuffle.shuffle.migrate;
