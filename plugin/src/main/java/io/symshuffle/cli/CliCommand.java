// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import java.util.concurrent.Callable;

/**
 * One sub-command of {@code symshuffle}, found by {@link java.util.ServiceLoader}: a public class
 * with a public constructor without arguments and picocli's annotations, which say its name,
 * options and help.
 *
 * <p>{@link #call} returns the exit status: 0 done, 1 ran and found something wrong, 2 wrong usage.
 * It throws a {@link CliException} where a sentence tells the user all there is to know; any other
 * exception is taken for a bug of ours.
 */
public interface CliCommand extends Callable<Integer> {}
