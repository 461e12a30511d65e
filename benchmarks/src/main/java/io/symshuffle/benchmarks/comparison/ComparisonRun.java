// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.launch.Fleet;
import io.symshuffle.benchmarks.launch.Hosts;
import io.symshuffle.benchmarks.launch.Lineup;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.measure.Contest;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.measure.RunOptions;
import io.symshuffle.benchmarks.measure.Turns;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.RunInfo;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import io.symshuffle.process.TerminationHook;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Runs jobs with all managers, and on links of all rates, in turn. */
public final class ComparisonRun {
  private final Lineup lineup;
  private final SparkRuntime runtime;
  private final RunOptions options;
  private final Console console;

  /**
   * Creates a run.
   *
   * @param lineup the applications
   * @param runtime the files that they need
   * @param options where the reports go
   * @param console shows the state and the results
   */
  public ComparisonRun(Lineup lineup, SparkRuntime runtime, RunOptions options, Console console) {
    this.lineup = lineup;
    this.runtime = runtime;
    this.options = options;
    this.console = console;
  }

  /** The folder of the applications' folders. */
  public static Path logs(Path out) {
    return out.resolve("applications");
  }

  /**
   * Runs all jobs.
   *
   * @param prepare makes the applications ready for the jobs
   * @return the exit status of the command: 0 if everything ran and gave the same rows, otherwise 1
   * @throws CliException if applications do not start, die or exceed their limit, or a report
   *     cannot be written; the results so far are in the reports then
   */
  public int run(Plan plan, Consumer<Fleet> prepare) {
    Path out = options.out();
    List<String> managers = lineup.labels();
    try {
      Path rows = Contest.rowsFolder(out);
      console.line("Starting " + managers.size() + " applications, logs in " + logs(out));
      try (Fleet fleet = lineup.start(runtime, logs(out), console)) {
        fleet.applications().forEach(this::introduce);
        prepare.accept(fleet);
        ReportFiles reports =
            new ReportFiles(
                plan,
                RunInfo.now(lineup.where(), fleet.ready()),
                managers,
                options.json().orElse(out.resolve(plan.fileName() + ".json")),
                options.markdown().orElse(out.resolve(plan.fileName() + ".md")),
                out.resolve(plan.fileName() + ".html"),
                console);
        // What the user interrupts ends with this line, and what fails, too.
        TerminationHook hook = new TerminationHook(() -> console.line(reports.state()));
        try {
          reports.begin();
          new Measuring(plan, fleet, rows, managers, reports).all();
          return reports.finish() ? 0 : 1;
        } catch (RuntimeException e) {
          if (!Application.isEnding()) {
            console.line(reports.state());
          }
          throw e;
        } finally {
          hook.close();
        }
      }
    } catch (IOException e) {
      throw new CliException("Cannot write to " + out + ": " + Failures.reason(e) + ".", e);
    }
  }

  private void introduce(Application application) {
    console.line(
        "  "
            + application.name()
            + ": "
            + application.ready().shuffleManager()
            + ", "
            + application.ready().executors()
            + " executors");
  }

  /** The jobs of a run on running applications. */
  private final class Measuring {
    private final Plan plan;
    private final Fleet fleet;
    private final Path rows;
    private final List<String> managers;
    private final ReportFiles reports;
    private final Map<String, Outcome> bases = new HashMap<>();

    Measuring(Plan plan, Fleet fleet, Path rows, List<String> managers, ReportFiles reports) {
      this.plan = plan;
      this.fleet = fleet;
      this.rows = rows;
      this.managers = managers;
      this.reports = reports;
    }

    void all() throws IOException {
      int done = 0;
      for (Job job : plan.jobs()) {
        console.steps(done++, plan.jobs().size());
        job.base().ifPresent(request -> bases.computeIfAbsent(job.name(), name -> base(job)));
        for (Result result : results(job)) {
          reports.add(result);
        }
      }
      console.steps(0, 0);
    }

    private Outcome base(Job job) {
      return contest(Optional.empty())
          .run(job.name() + " base", plan.warmUps(), plan.runs(), job.base().orElseThrow());
    }

    private List<Result> results(Job job) {
      String name = job.partitions() == 0 ? job.name() : job.name() + " " + job.partitions();
      List<String> rates = plan.rates();
      if (rates.isEmpty()) {
        Outcome outcome =
            contest(Optional.empty())
                .run(name, plan.warmUps(), plan.runs(), job.request(), job.unlimited());
        return List.of(result("", job, outcome, List.of()));
      }
      Hosts hosts = fleet.hosts().orElseThrow();
      List<Link> links = new ArrayList<>();
      for (String rate : rates) {
        RunCosts costs = new RunCosts(fleet, hosts, lineup.cluster().limit());
        links.add(
            new Link(
                rate,
                costs,
                contest(Optional.of(costs))
                    .rounds(
                        rates.size() == 1 ? name : rate + " " + name,
                        plan.warmUps(),
                        plan.runs(),
                        job.request(),
                        job.unlimited())));
      }
      // Rates change within each round: one that is measured after another one would profit from
      // code that the JVMs have compiled meanwhile.
      for (int round = 0; round < plan.warmUps() + plan.runs(); round++) {
        for (Link link : Turns.order(links, round)) {
          if (plan.delay().isEmpty()) {
            hosts.shape(link.rate());
          } else {
            hosts.shape(link.rate(), "delay", plan.delay());
          }
          link.rounds().next();
        }
      }
      return links.stream()
          .map(
              link ->
                  result(link.rate(), job, link.rounds().outcome(), link.costs().costs(managers)))
          .toList();
    }

    private Result result(String rate, Job job, Outcome outcome, List<Result.Cost> costs) {
      return new Result(
          rate, job.name(), job.rows(), job.partitions(), outcome, bases.get(job.name()), costs);
    }

    private Contest contest(Optional<RunCosts> costs) {
      Duration limit = lineup.cluster().limit();
      return costs.isPresent()
          ? new Contest(fleet.applications(), rows, limit, console, costs.get())
          : new Contest(fleet.applications(), rows, limit, console);
    }
  }

  /** What is measured on links of one rate. */
  private record Link(String rate, RunCosts costs, Contest.Rounds rounds) {}
}
