// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Handles an invalid command line: prints the error, suggestions and where to find the usage, and
 * returns exit status 2. If no command is named, it prints the usage, which lists them.
 */
final class WrongUsage implements IParameterExceptionHandler {
  /** The parser's message if an unknown option follows one that needs a value. */
  private static final Pattern UNKNOWN_INSTEAD_OF_VALUE =
      Pattern.compile("Unknown option: '(.*?)'; .*");

  private final boolean debug;

  WrongUsage(boolean debug) {
    this.debug = debug;
  }

  @Override
  public int handleParseException(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("symshuffle: " + sentence(e));
    if (e instanceof UnmatchedArgumentException unmatched
        && !unmatched.getSuggestions().isEmpty()) {
      err.println("Did you mean: " + String.join(" or ", unmatched.getSuggestions()) + "?");
    }
    if (debug) {
      e.printStackTrace(err);
    }
    String name = command.getCommandSpec().qualifiedName();
    if (e instanceof UnmatchedArgumentException || command.getSubcommands().isEmpty()) {
      err.println("Run '" + name + " --help' for usage.");
    } else {
      err.println();
      command.usage(err);
    }
    return CommandLine.ExitCode.USAGE;
  }

  private static String sentence(ParameterException e) {
    if (e instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()) {
      String first = unmatched.getUnmatched().getFirst();
      if (unmatched.isUnknownOption()) {
        return "Unknown option '%s'.".formatted(first);
      }
      return e.getCommandLine().getSubcommands().isEmpty()
          ? "The argument '%s' is not expected.".formatted(first)
          : "Unknown command '%s'.".formatted(first);
    }
    Matcher unknown = UNKNOWN_INSTEAD_OF_VALUE.matcher(e.getMessage());
    if (unknown.matches()) {
      return "Unknown option '%s'.".formatted(unknown.group(1));
    }
    if (e instanceof MissingParameterException missing
        && e.getMessage().contains(" parameter for option ")
        && missing.getMissing().getFirst() instanceof OptionSpec option) {
      return "Option '%s' needs a value: %s %s."
          .formatted(option.longestName(), option.longestName(), option.paramLabel());
    }
    if (e.getArgSpec() instanceof OptionSpec option && e.getValue() != null) {
      Object[] constants = option.type().getEnumConstants();
      if (constants != null) {
        return "Unknown value '%s' of %s; choose from %s."
            .formatted(
                e.getValue(),
                option.longestName(),
                Stream.of(constants)
                    .map(constant -> constant.toString().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining(", ")));
      }
      if (option.isMultiValue() && Map.class.isAssignableFrom(option.type())) {
        return "'%s' of %s has no '=': write KEY=VALUE."
            .formatted(e.getValue(), option.longestName());
      }
    }
    String message = e.getMessage();
    return message.endsWith(".") ? message : message + ".";
  }
}
