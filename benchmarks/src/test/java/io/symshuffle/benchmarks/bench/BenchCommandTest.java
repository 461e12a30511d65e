// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.bench;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.chaos.ChaosCommand;
import io.symshuffle.benchmarks.collectives.CollectivesCommand;
import io.symshuffle.benchmarks.jmh.JmhCommand;
import io.symshuffle.benchmarks.launch.Mistakes;
import io.symshuffle.benchmarks.launch.TestCommandLine;
import io.symshuffle.benchmarks.shuffle.ShuffleCommand;
import io.symshuffle.benchmarks.suite.DemoCommand;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class BenchCommandTest {
  @Test
  void helpBreaksNoExampleOfAnyCommand() {
    List<Object> commands = new ArrayList<>(new BenchCommand().subcommands());
    commands.addAll(List.of(new BenchCommand(), new DemoCommand(), new ChaosCommand()));
    List<String> broken = new ArrayList<>();
    int examples = 0;
    for (Object each : commands) {
      CommandLine command = TestCommandLine.of(each);
      String help = command.getUsageMessage();
      for (String line : command.getCommandSpec().usageMessage().footer()) {
        String example = line.replace("%%", "%");
        if (example.startsWith("  ")) {
          examples++;
          if (help.lines().noneMatch(example::equals)) {
            broken.add(example);
          }
        }
      }
    }
    assertEquals(List.of(), broken, "a command that the help breaks cannot be copied");
    assertTrue(examples > 15, examples + " examples");
  }

  @Test
  void helpHasNoPercentSignThatIsTakenForAFormat() {
    List<Object> commands = new ArrayList<>(new BenchCommand().subcommands());
    commands.addAll(List.of(new BenchCommand(), new DemoCommand(), new ChaosCommand()));
    for (Object each : commands) {
      var usage = TestCommandLine.of(each).getCommandSpec().usageMessage();
      for (String[] part : List.of(usage.header(), usage.description(), usage.footer())) {
        for (String line : part) {
          // Picocli prints a line that it cannot format as it is, after a warning.
          assertDoesNotThrow(() -> String.format(line), line);
        }
      }
    }
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
        "--kill needs executors that the command can kill: use --master 'local-cluster[...]',"
            + " --hosts or GPUs.",
        Mistakes.messageOf(new ShuffleCommand(), "--kill", "--master=local[2]"));
    assertEquals(
        "--limit is 0; it must be at least 1.",
        Mistakes.messageOf(new CollectivesCommand(), "--limit=0"));
    String sizes = Mistakes.messageOf(new CollectivesCommand(), "--sizes=8KiB:4KiB");
    assertTrue(sizes.startsWith("--sizes is '8KiB:4KiB'; "), sizes);
    assertEquals(
        "Cannot write JSON: the folder of /no/such/file does not exist.",
        Mistakes.messageOf(new CollectivesCommand(), "--json=/no/such/file"));
  }
}
