// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * {@code symshuffle chaos}: random queries under random faults, each answer compared with that of
 * Spark's sort shuffle, and a search for what is left behind.
 */
package io.symshuffle.benchmarks.chaos;
