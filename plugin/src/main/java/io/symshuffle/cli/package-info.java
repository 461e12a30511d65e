// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The command line: {@link io.symshuffle.cli.SymShuffleCommand} offers every {@link
 * io.symshuffle.cli.CliCommand} on the class path. Our jar contains those that do not need the
 * source tree; {@code bin/symshuffle} adds those of the tree. Nothing outside this package tree and
 * the benchmarks depends on it.
 */
package io.symshuffle.cli;
