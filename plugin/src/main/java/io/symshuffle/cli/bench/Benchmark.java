// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.bench;

import java.util.concurrent.Callable;

/**
 * One sub-command of {@code symshuffle bench}, found by {@link java.util.ServiceLoader}; what is
 * said of {@link io.symshuffle.cli.CliCommand} holds for it, too.
 */
public interface Benchmark extends Callable<Integer> {}
