// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The Spark application that runs queries for the command line, in a process of its own that
 * spark-submit starts. It knows the {@link io.symshuffle.benchmarks.protocol} and Spark, and
 * nothing of reports.
 */
package io.symshuffle.benchmarks.application;
