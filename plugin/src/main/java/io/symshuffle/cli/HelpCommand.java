// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code symshuffle help [COMMAND...]}. Picocli's own command has options {@code -h} and {@code
 * --help}, which all of our commands inherit.
 */
@Command(
    name = HelpCommand.NAME,
    helpCommand = true,
    description = "Shows the help of a command, as COMMAND --help does.")
final class HelpCommand implements Callable<Integer> {
  static final String NAME = "help";

  @Spec private CommandSpec spec;

  @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "A command and its subcommand.")
  private List<String> names = List.of();

  @Override
  public Integer call() {
    CommandLine command = spec.parent().commandLine();
    for (String name : names) {
      Map<String, CommandLine> below = command.getSubcommands();
      if (!below.containsKey(name)) {
        throw CliException.wrongUsage(
            below.isEmpty()
                ? "%s has no subcommands.".formatted(command.getCommandSpec().qualifiedName())
                : "Unknown command '%s'; choose from %s."
                    .formatted(name, String.join(", ", below.keySet())));
      }
      command = below.get(name);
    }
    command.usage(spec.commandLine().getOut());
    return 0;
  }
}
