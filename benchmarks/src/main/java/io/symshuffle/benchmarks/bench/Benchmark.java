// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.bench;

import java.util.concurrent.Callable;

/**
 * A subcommand of {@code symshuffle bench}, found by {@link java.util.ServiceLoader}. It follows
 * the rules of {@link io.symshuffle.cli.CliCommand}.
 */
public interface Benchmark extends Callable<Integer> {}
