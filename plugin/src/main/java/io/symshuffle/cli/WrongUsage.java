// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Handles an invalid command line: prints the error, suggestions and the usage, and returns exit
 * status 2.
 */
final class WrongUsage implements IParameterExceptionHandler {
  private final boolean debug;

  WrongUsage(boolean debug) {
    this.debug = debug;
  }

  @Override
  public int handleParseException(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("symshuffle: " + sentence(e));
    UnmatchedArgumentException.printSuggestions(e, err);
    if (debug) {
      e.printStackTrace(err);
    }
    String name = command.getCommandSpec().qualifiedName();
    if (command.getParent() == null || !command.getSubcommands().isEmpty()) {
      err.println();
      command.usage(err);
    } else {
      err.println("Run '" + name + " --help' for usage.");
    }
    return CommandLine.ExitCode.USAGE;
  }

  private static String sentence(ParameterException e) {
    if (e instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()) {
      String first = unmatched.getUnmatched().getFirst();
      if (unmatched.isUnknownOption()) {
        return "There is no option %s.".formatted(first);
      }
      return e.getCommandLine().getSubcommands().isEmpty()
          ? "The argument '%s' is not expected.".formatted(first)
          : "There is no command '%s'.".formatted(first);
    }
    String message = e.getMessage();
    return message.endsWith(".") ? message : message + ".";
  }
}
