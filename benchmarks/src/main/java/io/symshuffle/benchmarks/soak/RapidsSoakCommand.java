// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.soak;

import io.symshuffle.benchmarks.bench.Benchmark;
import io.symshuffle.benchmarks.launch.ClusterOptions;
import io.symshuffle.benchmarks.launch.GpuOptions;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.measure.RunOptions;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.JsonFile;
import io.symshuffle.benchmarks.report.ReportFile;
import io.symshuffle.benchmarks.workload.SoakQuery;
import io.symshuffle.cli.CliException;
import io.symshuffle.plugin.config.Count;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code symshuffle bench rapids-soak}. */
@Command(
    name = "rapids-soak",
    modelTransformer = RapidsSoakCommand.WithoutManagers.class,
    description = {
      "Repeats one query on GPUs, with RAPIDS alone and with SymShuffle, and compares what each of"
          + " its tasks computes with the known result. Stops at the first wrong value and keeps"
          + " the evidence. The query is the group-by of bench shuffle without its exchange: each"
          + " task creates strings and aggregates them.",
      ""
    },
    footer = {
      "",
      "Arms: rapids, symshuffle, and cpu (Spark's own operators, to test this command). Controls"
          + " can be added with +, for example symshuffle+malloc-perturb; a control alone is added"
          + " to rapids:",
      "  malloc-perturb   MALLOC_PERTURB_=165: freed host memory is overwritten",
      "  launch-blocking  CUDA_LAUNCH_BLOCKING=1: kernels run one at a time",
      "  no-cuio-default  spark.rapids.memory.pinnedPool.setCuioDefault=false",
      "",
      "The report has an upper bound for the rate of wrong tasks, at 95 %% confidence.",
      "",
      "Exit status: 0 no value was wrong so far, 1 a value was wrong or an application failed, 2"
          + " could not run, 130 interrupted.",
      "",
      "Examples:",
      "  symshuffle bench rapids-soak --rapids JAR --json soak.json --minutes 8",
      "  symshuffle bench rapids-soak --rapids JAR --arms rapids,malloc-perturb",
      "  symshuffle bench rapids-soak --master 'local[2]' --rows 100k --tasks 8"
    })
public final class RapidsSoakCommand implements Benchmark {
  /** This command has arms in place of shuffle managers. */
  static final class WithoutManagers implements IModelTransformer {
    @Override
    public CommandSpec transform(CommandSpec spec) {
      return spec.remove(spec.findOption("--managers"));
    }
  }

  @Spec private CommandSpec spec;

  @Mixin private final ClusterOptions cluster = new ClusterOptions("sort");

  @Mixin private final GpuOptions gpus = new GpuOptions();

  @Option(
      names = "--arms",
      split = ",",
      paramLabel = "NAMES",
      description =
          "What to compare, see below. Default: rapids,symshuffle; without --rapids: cpu.")
  private List<String> arms;

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "400m",
      description = "Rows of each execution; default ${DEFAULT-VALUE}.")
  private Count rows;

  @Option(
      names = "--tasks",
      paramLabel = "N",
      defaultValue = "128",
      description = "Tasks of each execution; default ${DEFAULT-VALUE}.")
  private int tasks;

  @Option(
      names = "--executions",
      paramLabel = "N",
      defaultValue = "1800",
      description =
          "Executions per arm, including those of earlier calls; default ${DEFAULT-VALUE}.")
  private long executions;

  @Option(
      names = "--block",
      paramLabel = "N",
      defaultValue = "20",
      description = "Executions on one arm before the next one is run; default ${DEFAULT-VALUE}.")
  private int block;

  @Option(
      names = "--together",
      description =
          "Run all arms at the same time, so that each GPU is always busy with another application"
              + " too. This takes longer than one arm after the other.")
  private boolean together;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      description =
          "Do not start an execution that would end more than M minutes after the command started;"
              + " stopping the applications takes up to half a minute more. Default: no limit.")
  private Double minutes;

  @Option(
      names = "--plant",
      paramLabel = "ROW",
      description = "Give this row a wrong string, to test that it is found.")
  private long planted = SoakQuery.NONE;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description =
          "File for the JSON report, updated after each execution. If it exists, its counts are"
              + " continued; arms with a wrong value are over.")
  private Path json;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description =
          "Folder for logs and evidence. Its folders applications and events are replaced, unless"
              + " they contain other files. Default: benchmarks/target/soak.")
  private Path out;

  /** For {@link java.util.ServiceLoader}. */
  public RapidsSoakCommand() {}

  @Override
  public Integer call() {
    Optional.ofNullable(minutes).ifPresent(RunOptions::checkMinutes);
    Optional<Long> deadline =
        Optional.ofNullable(minutes)
            .map(limit -> System.nanoTime() + Duration.ofMillis((long) (limit * 60_000)).toNanos());
    check();
    List<SoakArm> chosen = arms();
    Path folder = out != null ? out : SparkRuntime.home().resolve("benchmarks/target/soak");
    SoakRun.checkFolder(folder);
    SparkRuntime runtime = SparkRuntime.ofTree();
    Console console = Console.of(spec.commandLine());
    try {
      SoakReport report = before();
      List<SoakArm> open =
          chosen.stream().filter(arm -> !report.arm(arm.label()).isOver(executions)).toList();
      SoakRun.Plan plan =
          new SoakRun.Plan(
              open,
              new Request.Soak(rows.value(), tasks, planted),
              executions,
              block,
              together,
              deadline);
      SoakReport after =
          open.isEmpty()
              ? report
              : new SoakRun(
                      cluster, gpus, folder.toAbsolutePath(), console, plan, report, this::write)
                  .run(runtime);
      console.line("\n" + after.table() + "\n\n" + after.summary());
      return after.hasWrong() ? 1 : 0;
    } catch (IOException | UncheckedIOException e) {
      throw new CliException("Cannot access a report or log: " + e.getMessage() + ".", e);
    }
  }

  private void check() {
    cluster.check();
    gpus.check();
    ReportFile.check(json);
    if (tasks < 1 || rows.value() < tasks || executions < 1 || block < 1) {
      throw CliException.wrongUsage(
          "--tasks, --executions and --block must be at least 1, and --rows at least --tasks.");
    }
    if (planted < SoakQuery.NONE || planted >= rows.value()) {
      throw CliException.wrongUsage(
          "--plant must be the number of a row, below " + rows.value() + ".");
    }
  }

  private List<SoakArm> arms() {
    List<String> labels =
        arms != null
            ? arms
            : gpus.jar().isPresent() ? List.of("rapids", "symshuffle") : List.of("cpu");
    List<SoakArm> chosen = labels.stream().map(SoakArm::named).distinct().toList();
    if (gpus.jar().isEmpty()
        && chosen.stream().anyMatch(arm -> arm.base().choice().needsRapids())) {
      throw CliException.wrongUsage("The arms rapids and symshuffle need --rapids.");
    }
    cluster.checkSettings(chosen.stream().map(arm -> arm.base().choice()).toList());
    return chosen;
  }

  private SoakReport before() throws IOException {
    if (json == null || !Files.isRegularFile(json)) {
      return new SoakReport(rows.value(), tasks, List.of(), List.of());
    }
    SoakReport report = JsonFile.read(json, SoakReport.class);
    if (report.rows() != rows.value() || report.tasksEach() != tasks) {
      throw CliException.wrongUsage(
          "%s has results of %d rows in %d tasks: name another file."
              .formatted(json, report.rows(), report.tasksEach()));
    }
    return report;
  }

  private void write(SoakReport report) throws IOException {
    if (json != null) {
      JsonFile.write(report, json);
    }
  }
}
