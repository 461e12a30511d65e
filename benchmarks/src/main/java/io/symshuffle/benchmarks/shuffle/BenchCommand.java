// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.shuffle;

import io.symshuffle.benchmarks.jmh.JmhCommand;
import io.symshuffle.plugin.cli.CliCommand;
import io.symshuffle.plugin.cli.alltoall.AllToAllCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code symshuffle bench}: the parent of the benchmarks. */
@Command(
    name = "bench",
    description = "Runs benchmarks, side by side with the rivals.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {ShuffleCommand.class, AllToAllCommand.class, JmhCommand.class},
    footer = {
      "",
      "Examples:",
      "  symshuffle bench shuffle",
      "  symshuffle bench shuffle --cases repartition,sort --partitions 8,200",
      "  symshuffle bench alltoall --pes 2",
      "  symshuffle bench jmh --list"
    })
public final class BenchCommand implements CliCommand {
  @Spec private CommandSpec spec;

  /** For {@link java.util.ServiceLoader}. */
  public BenchCommand() {}

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "Which benchmark?");
  }
}
