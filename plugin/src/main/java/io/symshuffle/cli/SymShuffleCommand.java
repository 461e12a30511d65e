// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command {@code symshuffle}: finds its subcommands and runs the one that the user names. */
@Command(
    name = "symshuffle",
    versionProvider = VersionCommand.Provider.class,
    synopsisSubcommandLabel = "COMMAND",
    description = "A shuffle for Apache Spark that reads map outputs from a symmetric heap.",
    footer = {
      "",
      "To use SymShuffle, add the jar and one setting to an application:",
      "  spark-submit --jars symshuffle-spark-4.2_2.13-VERSION.jar \\",
      "    --conf spark.plugins=io.symshuffle.SymShufflePlugin ...",
      "",
      "Sizes have a unit: 64g, 64GB and 64GiB all mean 64 * 2^30 bytes. Counts may have one: 400m"
          + " is 400 million.",
      "",
      "Exit status: 0 success, 1 the command found a problem, 2 it could not run (a wrong option, a"
          + " missing file), 130 interrupted.",
      "",
      "Examples:",
      "  symshuffle doctor",
      "  symshuffle tune --event-log /tmp/spark-events/app-20260101000000-0000",
      "  symshuffle COMMAND --help"
    })
public final class SymShuffleCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Show this help.")
  private boolean unusedHelp;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the version.")
  private boolean unusedVersion;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Show stack traces of errors. Environment variable: SYMSHUFFLE_DEBUG.")
  private boolean debug;

  private SymShuffleCommand() {}

  /** Runs a command and ends the process with its exit status. Called by {@link Main}. */
  static void execute(String[] args) {
    quietLog();
    PrintWriter out = new PrintWriter(System.out, true, System.out.charset());
    PrintWriter err = new PrintWriter(System.err, true, System.err.charset());
    boolean debug = System.getenv("SYMSHUFFLE_DEBUG") != null;
    CommandLine line = commandLine(out, err, debug);
    if (!SparkClassPath.isComplete()) {
      line.setExecutionStrategy(
          parsed -> {
            Integer help = CommandLine.executeHelpRequest(parsed);
            if (help != null) {
              return help;
            }
            return parsed.hasSubcommand()
                ? restart(args, err, debug)
                : new CommandLine.RunLast().execute(parsed);
          });
    }
    System.exit(line.execute(args));
  }

  /**
   * Keeps Spark's classes from printing which settings their log has, and more. What is wrong is an
   * error message of the command.
   */
  private static void quietLog() {
    String key = "log4j2.configurationFile";
    if (System.getProperty(key) == null) {
      System.setProperty(key, SymShuffleCommand.class.getResource("log4j2.properties").toString());
    }
  }

  private static int restart(String[] args, PrintWriter err, boolean debug) {
    try {
      return SparkClassPath.restart(args, System.getenv());
    } catch (CliException e) {
      return Failures.report(e, err, debug);
    }
  }

  /**
   * The command line with all commands on the class path.
   *
   * @param out receives results and requested help
   * @param err receives errors and the usage after an error
   * @param debug whether to show stack traces even without {@code --debug}
   * @return the command line, ready to execute
   */
  public static CommandLine commandLine(PrintWriter out, PrintWriter err, boolean debug) {
    return commandLine(
        ServiceLoader.load(CliCommand.class).stream().map(ServiceLoader.Provider::get).toList(),
        out,
        err,
        debug);
  }

  static CommandLine commandLine(
      List<CliCommand> commands, PrintWriter out, PrintWriter err, boolean debug) {
    SymShuffleCommand main = new SymShuffleCommand();
    CommandLine line = new CommandLine(main);
    commands.stream()
        .map(SymShuffleCommand::withSubcommands)
        .sorted(Comparator.comparing(CommandLine::getCommandName))
        .forEach(command -> line.addSubcommand(command.getCommandName(), command));
    line.addSubcommand(HelpCommand.NAME, new HelpCommand());
    return OptionTypes.register(line)
        .setOut(out)
        .setErr(err)
        .setColorScheme(
            CommandLine.Help.defaultColorScheme(
                Terminal.here().hasColors() ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF))
        .setUsageHelpAutoWidth(true)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setUnmatchedOptionsAllowedAsOptionParameters(false)
        .setParameterExceptionHandler(new WrongUsage(debug))
        .setExecutionExceptionHandler(
            (e, at, result) -> Failures.report(e, at.getErr(), debug || main.debug));
  }

  private static CommandLine withSubcommands(CliCommand command) {
    CommandLine line = new CommandLine(command);
    command.subcommands().stream()
        .map(CommandLine::new)
        .sorted(Comparator.comparing(CommandLine::getCommandName))
        .forEach(sub -> line.addSubcommand(sub.getCommandName(), sub));
    if (!line.getSubcommands().isEmpty()) {
      line.addSubcommand(HelpCommand.NAME, new HelpCommand());
    }
    return line;
  }

  /** Runs if no command is given. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Name a command.");
  }
}
