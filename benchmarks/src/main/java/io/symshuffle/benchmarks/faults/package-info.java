// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Faults on purpose: wrappers around parts of the shuffle that fail, delay, damage or kill. {@link
 * io.symshuffle.benchmarks.faults.FaultSpec} says where and how often, and its seed repeats them.
 */
package io.symshuffle.benchmarks.faults;
