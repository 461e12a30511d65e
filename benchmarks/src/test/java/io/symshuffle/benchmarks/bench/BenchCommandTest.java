// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.alltoall.AllToAllCommand;
import io.symshuffle.benchmarks.jmh.JmhCommand;
import io.symshuffle.benchmarks.launch.Mistakes;
import io.symshuffle.benchmarks.wire.WireCommand;
import io.symshuffle.cli.Main;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class BenchCommandTest {
  @Test
  void helpBreaksNoExampleOfAnyCommand() {
    PrintWriter none = new PrintWriter(Writer.nullWriter());
    List<String> broken = new ArrayList<>();
    int examples = addBroken(broken, Main.commandLine(none, none, false));
    assertEquals(List.of(), broken, "a command that the help breaks cannot be copied");
    assertTrue(examples > 30, examples + " examples");
  }

  @Test
  void mistakesAreFoundBeforeAnythingIsMeasured() {
    assertEquals(
        "'[' is not a regular expression: Unclosed character class.",
        Mistakes.messageOf(new JmhCommand(), "["));
    assertEquals(
        "--iterations is 0; it must be at least 1.",
        Mistakes.messageOf(new JmhCommand(), "--iterations", "0"));
    assertEquals(
        "--runs is 0; it must be at least 1.", Mistakes.messageOf(new WireCommand(), "--runs=0"));
    assertEquals(
        "--limit is 0; it must be at least 1.",
        Mistakes.messageOf(new AllToAllCommand(), "--limit=0"));
    for (String option : List.of("--json", "--svg")) {
      assertEquals(
          "The folder of /no/such/file does not exist.",
          Mistakes.messageOf(new AllToAllCommand(), option + "=/no/such/file"));
    }
  }

  private static int addBroken(List<String> broken, CommandLine command) {
    String help = command.getUsageMessage();
    int examples = 0;
    for (String line : command.getCommandSpec().usageMessage().footer()) {
      String example = line.replace("%%", "%");
      if (example.startsWith("  ")) {
        examples++;
        if (help.lines().noneMatch(example::equals)) {
          broken.add(example);
        }
      }
    }
    for (CommandLine subcommand : command.getSubcommands().values()) {
      examples += addBroken(broken, subcommand);
    }
    return examples;
  }
}
