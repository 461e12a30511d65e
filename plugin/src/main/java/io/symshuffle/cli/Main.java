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

/** The command {@code symshuffle}: finds its sub-commands and runs the one that is asked for. */
@Command(
    name = "symshuffle",
    versionProvider = VersionCommand.Provider.class,
    synopsisSubcommandLabel = "COMMAND",
    description = "Apache Spark's shuffle as one-sided reads from a symmetric heap.",
    footer = {
      "",
      "To use it, give Spark the jar and one setting:",
      "  spark-submit --jars symshuffle-spark-4.2_2.13-VERSION.jar \\",
      "    --conf spark.plugins=io.symshuffle.SymShufflePlugin ...",
      "",
      "Examples:",
      "  symshuffle doctor",
      "  symshuffle tune --event-log /tmp/spark-events/eventlog_v2_app-20260101000000-0000",
      "  symshuffle COMMAND --help"
    })
public final class Main implements Runnable {
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
      description = "Show stack traces of errors (also: environment variable SYMSHUFFLE_DEBUG).")
  private boolean debug;

  private Main() {}

  /**
   * Runs a command and ends the process with its exit status.
   *
   * @param args the command line
   */
  public static void main(String[] args) {
    PrintWriter out = new PrintWriter(System.out, true, System.out.charset());
    PrintWriter err = new PrintWriter(System.err, true, System.err.charset());
    int status = commandLine(out, err, System.getenv("SYMSHUFFLE_DEBUG") != null).execute(args);
    System.exit(status);
  }

  /**
   * The command line with all commands of the class path.
   *
   * @param out where results and asked-for help go
   * @param err where errors and the usage after an error go
   * @param debug whether stack traces are shown in any case
   * @return the command line, ready to execute
   */
  public static CommandLine commandLine(PrintWriter out, PrintWriter err, boolean debug) {
    return commandLine(
        ServiceLoader.load(CliCommand.class).stream().map(ServiceLoader.Provider::get).toList(),
        out,
        err,
        debug);
  }

  /** The same with these commands. */
  static CommandLine commandLine(
      List<CliCommand> commands, PrintWriter out, PrintWriter err, boolean debug) {
    Main main = new Main();
    CommandLine line = new CommandLine(main);
    commands.stream()
        .map(Main::withSubcommands)
        .sorted(Comparator.comparing(CommandLine::getCommandName))
        .forEach(command -> line.addSubcommand(command.getCommandName(), command));
    return line.setOut(out)
        .setErr(err)
        .setUsageHelpAutoWidth(true)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(new WrongUsage(debug))
        .setExecutionExceptionHandler(
            (e, at, result) -> Failures.report(e, at.getErr(), debug || main.debug));
  }

  private static CommandLine withSubcommands(CliCommand command) {
    CommandLine line = new CommandLine(command);
    if (command instanceof CommandGroup group) {
      group.subcommands().stream()
          .map(CommandLine::new)
          .sorted(Comparator.comparing(CommandLine::getCommandName))
          .forEach(sub -> line.addSubcommand(sub.getCommandName(), sub));
    }
    return line;
  }

  /** No command given. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Which command?");
  }
}
