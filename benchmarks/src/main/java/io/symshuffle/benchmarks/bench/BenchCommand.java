// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.bench;

import io.symshuffle.cli.CliCommand;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code symshuffle bench}: the parent of all benchmarks. */
@Command(
    name = "bench",
    description = "Runs benchmarks, compared with alternatives.",
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Examples:",
      "  symshuffle bench collectives --pes 2",
      "  symshuffle bench COMMAND --help"
    })
public final class BenchCommand implements CliCommand {
  @Spec private CommandSpec spec;

  @Override
  public List<Callable<Integer>> subcommands() {
    return ServiceLoader.load(Benchmark.class).stream()
        .map(ServiceLoader.Provider::get)
        .collect(Collectors.toList());
  }

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "Name a benchmark.");
  }
}
