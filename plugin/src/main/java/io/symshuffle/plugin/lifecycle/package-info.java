// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Starts and stops SymShuffle in a process: {@link
 * io.symshuffle.plugin.lifecycle.SymShuffleDriverPlugin} on the driver, {@link
 * io.symshuffle.plugin.lifecycle.SymShuffleExecutorPlugin} on an executor, both in local mode. Only
 * this package knows all the others.
 */
package io.symshuffle.plugin.lifecycle;
