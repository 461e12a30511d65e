// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code symshuffle completion}: the script by which shells complete our commands on Tab. */
@Command(
    name = "completion",
    description = {
      "Prints the script by which bash and zsh complete commands and options on Tab.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  source <(bin/symshuffle completion)",
      "  bin/symshuffle completion > ~/.local/share/bash-completion/completions/symshuffle"
    })
public final class CompletionCommand implements CliCommand {
  @Spec private CommandSpec spec;

  /** For {@link java.util.ServiceLoader}. */
  public CompletionCommand() {}

  @Override
  public Integer call() {
    CommandLine root = spec.root().commandLine();
    spec.commandLine().getOut().print(AutoComplete.bash(root.getCommandName(), root));
    spec.commandLine().getOut().flush();
    return 0;
  }
}
