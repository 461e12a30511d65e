// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code symshuffle completion}: prints a shell completion script. */
@Command(
    name = "completion",
    description = {"Prints the completion script for bash and zsh.", ""},
    footer = {
      "",
      "Examples:",
      "  source <(bin/symshuffle completion)",
      "  bin/symshuffle completion \\",
      "    > ~/.local/share/bash-completion/completions/symshuffle"
    })
public final class CompletionCommand implements CliCommand {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    CommandLine root = spec.root().commandLine();
    spec.commandLine().getOut().print(AutoComplete.bash(root.getCommandName(), root));
    spec.commandLine().getOut().flush();
    return 0;
  }
}
