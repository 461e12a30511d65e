// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private CommandLine failing(RuntimeException failure, boolean debug) {
    return SymShuffleCommand.commandLine(
        List.of(new Failing(failure)),
        new PrintWriter(out, true),
        new PrintWriter(err, true),
        debug);
  }

  private CommandLine commandLine(boolean debug) {
    return SymShuffleCommand.commandLine(
        new PrintWriter(out, true), new PrintWriter(err, true), debug);
  }

  @Test
  void helpListsCommandsAndExamples() {
    int status = commandLine(false).execute("--help");
    assertAll(
        () -> assertEquals(0, status),
        () -> assertTrue(out.toString().contains("version"), out.toString()),
        () -> assertTrue(out.toString().contains("spark.plugins="), out.toString()),
        () -> assertEquals("", err.toString()));
  }

  @Test
  void unknownCommandPointsToHelpWithStatus2() {
    int status = commandLine(false).execute("versoin");
    assertAll(
        () -> assertEquals(2, status),
        () ->
            assertEquals(
                """
                symshuffle: Unknown command 'versoin'.
                Did you mean: version or ring?
                Run 'symshuffle --help' for usage.
                """,
                err.toString()));
  }

  @Test
  void missingCommandPrintsUsageWithStatus2() {
    int status = commandLine(false).execute();
    assertAll(
        () -> assertEquals(2, status),
        () -> assertTrue(err.toString().startsWith("symshuffle: Name a command."), err.toString()),
        () -> assertTrue(err.toString().contains("Usage: symshuffle"), err.toString()));
  }

  @Test
  void unknownOptionPointsToHelpOfCommand() {
    int status = commandLine(false).execute("doctor", "--jsno");
    assertAll(
        () -> assertEquals(2, status),
        () ->
            assertEquals(
                """
                symshuffle: Unknown option '--jsno'.
                Did you mean: --json?
                Run 'symshuffle doctor --help' for usage.
                """,
                err.toString()));
  }

  @Test
  void cliExceptionPrintsMessageWithoutStackTrace() {
    int status =
        failing(CliException.wrongUsage("Scale -1 is negative."), false).execute("failing");
    assertAll(
        () -> assertEquals(2, status),
        () -> assertEquals("symshuffle: Scale -1 is negative.", err.toString().strip()));
  }

  @Test
  void unexpectedErrorPointsToDebugOption() {
    int status = failing(new IllegalStateException("oops"), false).execute("failing");
    assertAll(
        () -> assertEquals(2, status),
        () -> assertTrue(err.toString().contains("oops"), err.toString()),
        () -> assertTrue(err.toString().contains("--debug"), err.toString()),
        () -> assertFalse(err.toString().contains("\tat "), err.toString()));
  }

  @Test
  void optionsAreNotTakenForMissingValues() {
    String missing = "Option '--event-log' needs a value: --event-log PATH.";
    Map.of(
            "tune --event-log", missing,
            "tune --event-log --help", missing,
            "tune --event-log -h", missing,
            "tune --event-log --json", missing,
            "tune --event-log --nonsense", "Unknown option '--nonsense'.")
        .forEach(
            (line, sentence) ->
                assertEquals(
                    List.of("symshuffle: " + sentence, "Run 'symshuffle tune --help' for usage."),
                    mistake(line),
                    line));
    assertEquals("", out.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tune --memory",
        "tune --memory 12",
        "tune --gpus x",
        "tune --cluster mesos",
        "tune --colour",
        "tune surplus",
        "ring",
        "versoin"
      })
  void messagesOfTheParserAreSentences(String line) {
    String first = mistake(line).getFirst();
    assertTrue(first.matches("symshuffle: [A-Z].*\\."), first);
    assertFalse(first.contains("Exception"), first);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "tune --cluster mesos | Unknown value 'mesos' of --cluster; choose from local, standalone,"
            + " yarn, kubernetes.",
        "doctor --conf foo | 'foo' of --conf has no '=': write KEY=VALUE.",
        "doctor --nvshmem /nonexistent | --nvshmem is /nonexistent, which is not a folder.",
        "doctor --properties-file / | Cannot read settings: / is a folder.",
        "ring --pes 65 | --pes is 65; it must be from 1 to 64.",
        "ring --pes 2 --seed x | Invalid value for option '--seed': 'x' is not a whole number.",
        "tune --json=/nonexistent/tune.json | Cannot write JSON: the folder of"
            + " /nonexistent/tune.json does not exist.",
        "tune --json=/ | Cannot write JSON: / is a folder."
      })
  void messagesNameTheValueAndWhatIsAllowed(String line, String message) {
    assertEquals("symshuffle: " + message, mistake(line).getFirst());
  }

  /** The lines that a wrong command line prints. */
  private List<String> mistake(String line) {
    assertEquals(2, commandLine(false).execute(line.split(" ", -1)), line);
    List<String> lines = err.toString().lines().toList();
    err.getBuffer().setLength(0);
    return lines;
  }

  @Test
  void debugOptionShowsStackTrace() {
    int status =
        failing(new CliException("No.", new IllegalStateException("oops")), false)
            .execute("failing", "--debug");
    assertAll(
        () -> assertEquals(2, status),
        () -> assertTrue(err.toString().contains("Caused by: "), err.toString()));
  }

  @Command(name = "failing")
  static final class Failing implements CliCommand {
    private final RuntimeException failure;

    Failing(RuntimeException failure) {
      this.failure = failure;
    }

    @Override
    public Integer call() {
      throw failure;
    }
  }

  @Test
  void helpBreaksNoExampleOfAnyCommand() {
    List<String> broken = new ArrayList<>();
    int examples = 0;
    for (CommandLine command : commandLine(false).getSubcommands().values()) {
      String help = command.getUsageMessage();
      for (String line : command.getCommandSpec().usageMessage().footer()) {
        if (line.startsWith("  ")) {
          examples++;
          if (help.lines().noneMatch(line.replace("%%", "%")::equals)) {
            broken.add(line);
          }
        }
      }
    }
    assertEquals(List.of(), broken, "a command that the help breaks cannot be copied");
    assertTrue(examples > 5, examples + " examples");
  }
}
