// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.bench;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.launch.BuiltCommand;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All commands look alike: the same option names, exit statuses and kinds of messages. */
@Execution(ExecutionMode.CONCURRENT)
class CommandsIT {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Pattern COMMAND = Pattern.compile("(?m)^  ([a-z][a-z-]*) {2,}\\S");
  private static final Pattern OPTION =
      Pattern.compile("(?m)^ {2,8}(?:-\\w, )?(--[a-z][a-z-]*)(?:=([A-Z_]+))?");

  @TempDir private Path folder;

  private ChildProcess.Result run(String line) throws IOException {
    Path own = Files.createTempDirectory(folder, "run");
    return BuiltCommand.of(own, List.of(line.split(" ", -1))).run(LIMIT);
  }

  /** The help of all commands without subcommands, by name. */
  private Map<String, String> helps() throws IOException {
    Map<String, String> helps = new TreeMap<>();
    List<String> names = new ArrayList<>(subcommands(run("--help").output()));
    while (!names.isEmpty()) {
      String name = names.removeLast();
      String help = run(name + " --help").output();
      List<String> below = subcommands(help);
      below.forEach(each -> names.add(name + " " + each));
      if (below.isEmpty()) {
        helps.put(name, help);
      }
    }
    return helps;
  }

  private static List<String> subcommands(String help) {
    int at = help.indexOf("\nCommands:\n");
    if (at < 0) {
      return List.of();
    }
    String list = help.substring(at).replaceFirst("(?s)\n\n.*", "");
    return COMMAND.matcher(list).results().map(found -> found.group(1)).toList();
  }

  @Test
  void helpsHaveTheSameOptionsAndDocumentExitStatuses() throws IOException {
    Map<String, String> helps = helps();
    assertTrue(
        helps.keySet().containsAll(Set.of("demo", "doctor", "bench shuffle", "bench hosts")),
        helps.keySet()::toString);
    Map<String, Set<String>> labels = new TreeMap<>();
    for (Map.Entry<String, String> help : helps.entrySet()) {
      Matcher option = OPTION.matcher(help.getValue());
      while (option.find()) {
        if (option.group(2) != null) {
          labels.computeIfAbsent(option.group(1), name -> new TreeSet<>()).add(option.group(2));
        }
      }
      if (!Set.of("completion", "version").contains(help.getKey())) {
        String text = help.getValue().replaceAll("\\s+", " ");
        assertTrue(
            text.matches(".*Exit status: 0 .* 2 could not run.*"), help.getKey() + ": " + text);
      }
    }
    labels.values().removeIf(kinds -> kinds.size() == 1);
    assertEquals(Map.of(), labels, "options that take different kinds of values");
    for (String name : List.of("demo", "bench tpcds", "bench shuffle")) {
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
        assertTrue(helps.get(name).contains(option + "="), name + " " + option);
      }
      assertFalse(helps.get(name).contains("--rounds"), name);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bench shuffle --rows 400m --partitions 8,2k --cases foo | There is no case 'foo'; choose",
        "bench shuffle --rows many | 'many' is not a count: write a whole number",
        "bench shuffle --rows 0 | --rows must be at least 1.",
        "bench shuffle --runs 0 | --runs must be from 1 to 1000",
        "bench shuffle --partitions 0 | --partitions must be numbers of at least 1",
        "bench shuffle --rounds 3 | There is no option --rounds.",
        "bench shuffle --gpu-pool 32 --gpus 1 | write 32g for GiB",
        "bench shuffle --rapids /nope.jar | /nope.jar",
        "demo --json /nope/demo.json | The folder of /nope/demo.json does not exist.",
        "demo --driver-memory 4 | '4' has no unit",
        "demo --master mesos://x | is not a master URL",
        "bench foo | There is no command 'foo'."
      })
  void mistakesAreSentencesWithStatus2(String line, String message) throws IOException {
    ChildProcess.Result result = run(line);
    String output = result.output();
    assertAll(
        output,
        () -> assertEquals(2, result.status()),
        () -> assertTrue(output.lines().anyMatch(each -> each.startsWith("symshuffle: "))),
        () -> assertTrue(output.contains(message)),
        () -> assertFalse(output.contains("Unexpected error")));
  }
}
