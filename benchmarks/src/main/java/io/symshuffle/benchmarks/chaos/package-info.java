// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * {@code symshuffle chaos}: random queries with random faults, compared with Spark's sort shuffle.
 */
package io.symshuffle.benchmarks.chaos;
