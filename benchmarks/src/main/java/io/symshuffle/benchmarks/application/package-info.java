// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The Spark application that runs queries for a command, in its own process, which spark-submit
 * starts. It uses the {@link io.symshuffle.benchmarks.protocol} and Spark, but no reports.
 */
package io.symshuffle.benchmarks.application;
