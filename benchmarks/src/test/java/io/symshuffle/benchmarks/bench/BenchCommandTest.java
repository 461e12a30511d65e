// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
