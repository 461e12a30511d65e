// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.bench;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cli.Main;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** All commands look alike: the same option names, exit statuses and kinds of messages. */
class CommandsTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private CommandLine root() {
    return Main.commandLine(new PrintWriter(out, true), new PrintWriter(err, true), false);
  }

  private static List<CommandLine> leaves(CommandLine command) {
    if (command.getSubcommands().isEmpty()) {
      return List.of(command);
    }
    List<CommandLine> leaves = new ArrayList<>();
    command.getSubcommands().values().forEach(sub -> leaves.addAll(leaves(sub)));
    return leaves;
  }

  @Test
  void sameOptionTakesSameKindOfValueInAllCommands() {
    Map<String, Set<String>> labels = new TreeMap<>();
    for (CommandLine command : leaves(root())) {
      for (OptionSpec option : command.getCommandSpec().options()) {
        labels
            .computeIfAbsent(option.longestName(), name -> new TreeSet<>())
            .add(option.paramLabel());
      }
    }
    labels.values().removeIf(kinds -> kinds.size() == 1);
    assertEquals(Map.of(), labels);
  }

  @ParameterizedTest
  @ValueSource(strings = {"demo", "bench tpcds", "bench shuffle"})
  void comparisonsHaveTheSameOptions(String name) {
    CommandLine command = root();
    for (String part : name.split(" ", -1)) {
      command = command.getSubcommands().get(part);
    }
    Map<String, OptionSpec> options = command.getCommandSpec().optionsMap();
    for (String option :
        List.of(
            "--runs",
            "--warm-ups",
            "--json",
            "--out",
            "--note",
            "--managers",
            "--master",
            "--conf",
            "--limit",
            "--rapids",
            "--gpus",
            "--gpu-pool")) {
      assertTrue(options.containsKey(option), name + " " + option);
    }
    assertFalse(options.containsKey("--rounds"), name);
  }

  @Test
  void helpDocumentsExitStatuses() {
    for (CommandLine command : leaves(root())) {
      String name = command.getCommandName();
      if (!Set.of("completion", "version").contains(name)) {
        String help = command.getUsageMessage().replaceAll("\\s+", " ");
        assertTrue(help.matches(".*Exit status: 0 .* 2 could not run.*"), name + ": " + help);
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bench shuffle --cases foo | There is no case 'foo'; choose from repartition,",
        "bench shuffle --rows many | 'many' is not a count: write a whole number",
        "bench shuffle --rows 0 | --rows must be at least 1.",
        "bench shuffle --runs 0 | --runs must be from 1 to 1000",
        "bench shuffle --rounds 3 | There is no option --rounds.",
        "bench shuffle --partitions 0 | --partitions must be numbers of at least 1",
        "bench shuffle --gpu-pool 32 --gpus 1 | write 32g for GiB",
        "bench shuffle --rapids /nope.jar | /nope.jar",
        "demo --json /nope/demo.json | The folder of /nope/demo.json does not exist.",
        "demo --driver-memory 4 | '4' has no unit",
        "demo --master mesos://x | is not a master URL",
        "bench foo | There is no command 'foo'."
      })
  void mistakesAreSentencesWithStatus2(String line, String message) {
    int status = root().execute(line.split(" ", -1));
    assertAll(
        err.toString(),
        () -> assertEquals(2, status),
        () -> assertTrue(err.toString().startsWith("symshuffle: ")),
        () -> assertTrue(err.toString().contains(message)),
        () -> assertFalse(err.toString().contains("Unexpected error")));
  }

  @Test
  void rowsMayHaveAUnit() {
    CommandLine root = root();
    root.parseArgs("bench", "shuffle", "--rows", "400m", "--partitions", "8,2k");
    CommandLine shuffle = root.getSubcommands().get("bench").getSubcommands().get("shuffle");
    assertEquals(
        "Count[value=400000000]",
        shuffle.getCommandSpec().findOption("--rows").getValue().toString());
    assertEquals(
        List.of(8, 2000), shuffle.getCommandSpec().findOption("--partitions").<List<?>>getValue());
  }
}
