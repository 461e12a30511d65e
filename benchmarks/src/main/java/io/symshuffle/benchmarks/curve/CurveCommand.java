// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.curve;

import io.symshuffle.benchmarks.bench.Benchmark;
import io.symshuffle.benchmarks.report.JsonFile;
import io.symshuffle.benchmarks.report.ReportFile;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code symshuffle bench curve}. */
@Command(
    name = "curve",
    description = {
      "Combines JSON reports of demo, bench tpcds, bench shuffle and bench alltoall on different"
          + " numbers of GPUs: seconds over GPUs for each manager, as a table, JSON and a plot."
          + " Reports of the same jobs on the same number of GPUs count together. Sums are over the"
          + " jobs that ran with all managers on all numbers of GPUs.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 all reports are complete and all rows were equal, 1 some are not, 2 could not"
          + " run.",
      "",
      "Examples:",
      "  symshuffle bench curve FOLDER --json curve.json --svg curve.svg",
      "  symshuffle bench curve one-gpu.json two-gpus.json --markdown curve.md"
    })
public final class CurveCommand implements Benchmark {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "REPORT",
      arity = "1..*",
      description = "JSON reports, or folders of them; other JSON files are skipped.")
  private List<Path> reports;

  @Option(names = "--json", paramLabel = "FILE", description = "Write all numbers as JSON.")
  private Path json;

  @Option(names = "--svg", paramLabel = "FILE", description = "Write the plots as SVG.")
  private Path svg;

  @Option(names = "--markdown", paramLabel = "FILE", description = "Write the tables as Markdown.")
  private Path markdown;

  /** For {@link java.util.ServiceLoader}. */
  public CurveCommand() {}

  @Override
  public Integer call() {
    ReportFile.check(json);
    ReportFile.check(svg);
    ReportFile.check(markdown);
    CurveReport report = CurveReader.read(reports);
    PrintWriter out = spec.commandLine().getOut();
    out.print(CurveTables.text(report));
    out.flush();
    try {
      if (json != null) {
        JsonFile.write(report, json);
      }
      if (svg != null) {
        ReportFile.write(svg, new CurvePlot(report).svg());
      }
      if (markdown != null) {
        ReportFile.write(markdown, CurveTables.markdown(report));
      }
    } catch (IOException e) {
      throw new CliException("Cannot write a report: " + Failures.reason(e) + ".", e);
    }
    return report.good() ? 0 : 1;
  }
}
