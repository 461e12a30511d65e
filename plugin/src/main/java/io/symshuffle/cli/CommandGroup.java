// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import java.util.List;
import java.util.concurrent.Callable;

/** A command that only has subcommands: {@code symshuffle GROUP COMMAND}. */
public interface CommandGroup extends CliCommand {

  /** {@return its subcommands, with picocli's annotations} */
  List<Callable<Integer>> subcommands();
}
