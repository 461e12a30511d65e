// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.site;

import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.cli.CliCommand;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code symshuffle docs}. */
@Command(
    name = "docs",
    description = {"Builds the documentation as a static site and checks its links.", ""},
    footer = {
      "",
      "Exit status: 0 no broken links, 1 broken links, 2 could not run.",
      "",
      "Examples:",
      "  symshuffle docs",
      "  symshuffle docs --out /var/www/symshuffle"
    })
public final class SiteCommand implements CliCommand {
  @Spec private CommandSpec spec;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Output folder. Default: benchmarks/target/site.")
  private Path out;

  /** For {@link java.util.ServiceLoader}. */
  public SiteCommand() {}

  @Override
  public Integer call() {
    Path home = SparkRuntime.home();
    Path folder = out == null ? home.resolve("benchmarks/target/site") : out;
    PrintWriter printer = spec.commandLine().getOut();
    try {
      int pages = new Site(home, folder).build();
      printer.println("%d pages in %s".formatted(pages, folder.resolve("index.html")));
      List<String> findings = new LinkCheck(home).findings();
      findings.forEach(printer::println);
      return findings.isEmpty() ? 0 : 1;
    } catch (IOException e) {
      throw new CliException(
          "Cannot build the site in %s: %s.".formatted(folder, Failures.reason(e)), e);
    }
  }
}
