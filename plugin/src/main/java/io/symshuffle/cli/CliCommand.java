// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import java.util.List;
import java.util.concurrent.Callable;

/**
 * A subcommand of {@code symshuffle}, found by {@link java.util.ServiceLoader}: a public class with
 * a public no-argument constructor. Its picocli annotations define its name, options and help.
 *
 * <p>{@link #call} returns the exit status: 0 success, 1 a problem was found. It throws a {@link
 * CliException} if a message is all that the user needs; any other exception counts as a bug.
 */
public interface CliCommand extends Callable<Integer> {

  /** Returns its subcommands, with picocli's annotations; most commands have none. */
  default List<Callable<Integer>> subcommands() {
    return List.of();
  }
}
