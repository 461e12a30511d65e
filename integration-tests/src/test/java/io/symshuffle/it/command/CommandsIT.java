// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.it.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.launch.BuiltCommand;
import io.symshuffle.cli.SymShuffleCommand;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** All commands look alike: the same option names, exit statuses and kinds of messages. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("full")
class CommandsIT {
  private static final Pattern COMMAND = Pattern.compile("(?m)^  ([a-z][a-z-]*) {2,}\\S");
  private static final Pattern OPTION =
      Pattern.compile("(?m)^ {2,8}(?:-\\w, )?(--[a-z][a-z-]*)(?:=([A-Z_]+))?");

  private record Result(int status, String output) {}

  /** Runs commands one after the other in one process, whose class path is as users have it. */
  private Map<String, Result> run(Collection<String> lines) throws IOException {
    ChildProcess.Result all =
        BuiltCommand.of(Lines.class).input(String.join("\n", lines)).run(Await.LIMIT);
    assertEquals(0, all.status(), all.output());
    Map<String, Result> results = new TreeMap<>();
    StringBuilder output = new StringBuilder();
    Iterator<String> line = lines.iterator();
    for (String each : all.output().lines().toList()) {
      if (each.startsWith(Lines.STATUS)) {
        int status = Integer.parseInt(each.substring(Lines.STATUS.length()));
        results.put(line.next(), new Result(status, output.toString()));
        output.setLength(0);
      } else if (!each.startsWith("Picked up JAVA_TOOL_OPTIONS")) {
        output.append(each).append('\n');
      }
    }
    assertFalse(line.hasNext(), all.output());
    return results;
  }

  /** Runs each line of standard input as a command. Prints its output, then its exit status. */
  static final class Lines {
    static final String STATUS = "exit status of this command: ";

    private Lines() {}

    public static void main(String[] arguments) throws Exception {
      PrintWriter out = new PrintWriter(System.out, true, System.out.charset());
      for (String line :
          new BufferedReader(new InputStreamReader(System.in, UTF_8)).lines().toList()) {
        out.println(STATUS + execute(line.split(" ", -1), out));
      }
      // Some commands leave threads.
      System.exit(0);
    }

    /**
     * By reflection, since this class may be compiled with the packaged jar, which has picocli
     * under another name than the classes of this process.
     */
    private static Object execute(String[] command, PrintWriter out) throws Exception {
      Object line =
          SymShuffleCommand.class
              .getMethod("commandLine", PrintWriter.class, PrintWriter.class, boolean.class)
              .invoke(null, out, out, false);
      return line.getClass().getMethod("execute", String[].class).invoke(line, (Object) command);
    }
  }

  /** The help of all commands without subcommands, by name. */
  private Map<String, String> helps() throws IOException {
    Map<String, String> helps = new TreeMap<>();
    List<String> names = List.of("");
    while (!names.isEmpty()) {
      List<String> below = new ArrayList<>();
      List<String> lines = names.stream().map(name -> (name + " --help").strip()).toList();
      for (Map.Entry<String, Result> help : run(lines).entrySet()) {
        String name = help.getKey().replaceFirst(" ?--help$", "");
        assertEquals(0, help.getValue().status(), help.getKey());
        List<String> subcommands = subcommands(help.getValue().output());
        subcommands.forEach(each -> below.add((name + " " + each).strip()));
        if (subcommands.isEmpty()) {
          helps.put(name, help.getValue().output());
        }
      }
      names = below;
    }
    return helps;
  }

  @Test
  void helpOfACommandIsThatOfItsOption() throws IOException {
    Map<String, Result> results =
        run(List.of("help bench shuffle", "bench help shuffle", "bench shuffle --help", "help"));
    Result option = results.get("bench shuffle --help");
    assertAll(
        () -> assertEquals(option, results.get("help bench shuffle")),
        () -> assertEquals(option, results.get("bench help shuffle")),
        () -> assertTrue(option.output().contains("Usage: symshuffle bench shuffle")),
        () -> assertTrue(results.get("help").output().contains("\nCommands:\n")));
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
        helps.keySet().containsAll(Set.of("demo", "doctor", "bench shuffle", "bench tpcds")),
        helps.keySet()::toString);
    Map<String, Set<String>> labels = new TreeMap<>();
    for (Map.Entry<String, String> help : helps.entrySet()) {
      Matcher option = OPTION.matcher(help.getValue());
      while (option.find()) {
        if (option.group(2) != null) {
          labels.computeIfAbsent(option.group(1), name -> new TreeSet<>()).add(option.group(2));
        }
      }
      if (!Set.of("completion", "version", "help", "bench help").contains(help.getKey())) {
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
              "--starts",
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

  @Test
  void mistakesAreSentencesWithStatus2() throws IOException {
    Map<String, String> messages =
        Map.ofEntries(
            entry(
                "bench shuffle --rows 400m --partitions 8,2k --cases foo",
                "Unknown case 'foo'; choose from "),
            entry("bench shuffle --rows many", "'many' is not a count: write a whole number"),
            entry("bench shuffle --rows 0", "--rows is 0; it must be at least 1."),
            entry("bench shuffle --runs 0", "--runs is 0; it must be from 1 to 1000"),
            entry("bench shuffle --partitions 0", "--partitions must be numbers of at least 1"),
            entry("bench shuffle --rounds 3", "Unknown option '--rounds'."),
            entry("bench shuffle --gpu-pool 32 --gpus 1", "write 32g for GiB"),
            entry("bench shuffle --rapids /nope.jar", "/nope.jar"),
            entry(
                "demo --json /nope/demo.json",
                "Cannot write JSON: the folder of /nope/demo.json does not exist."),
            entry("demo --driver-memory 4", "'4' has no unit"),
            entry("demo --master mesos://x", "is not a master URL"),
            entry("demo --scale 100000", "TPC-H tables at scale 100000 need about "),
            entry("help foo", "Unknown command 'foo'; choose from bench, "),
            entry("bench foo", "Unknown command 'foo'."));
    Map<String, Result> results = run(messages.keySet());
    assertAll(
        messages.keySet().stream()
            .map(line -> () -> assertMistake(results.get(line), messages.get(line))));
  }

  private static void assertMistake(Result result, String message) {
    String output = result.output();
    assertAll(
        output,
        () -> assertEquals(2, result.status()),
        () -> assertTrue(output.lines().anyMatch(each -> each.startsWith("symshuffle: "))),
        () -> assertTrue(output.contains(message), message),
        () -> assertFalse(output.contains("Unexpected error")));
  }
}
