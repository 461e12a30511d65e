// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Fault injection for tests: wrappers around parts of the shuffle that delay, fail, damage data, or
 * kill the process. {@link io.symshuffle.benchmarks.faults.FaultSpec} defines where and how often;
 * the same seed injects the same faults again.
 */
package io.symshuffle.benchmarks.faults;
