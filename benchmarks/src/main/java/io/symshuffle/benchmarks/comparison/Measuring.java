// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import io.symshuffle.benchmarks.launch.Fleet;
import io.symshuffle.benchmarks.launch.Hosts;
import io.symshuffle.benchmarks.measure.AlternatingRuns;
import io.symshuffle.benchmarks.measure.Turns;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.Figures;
import io.symshuffle.benchmarks.report.OtherWork;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The runs of all jobs of a plan so far. Applications that run at once take turns; those of other
 * starts add their runs. Used by one thread.
 */
final class Measuring {
  private static final int OPENING_RUNS = 4;

  private final Plan plan;
  private final List<String> managers;
  private final ReportFiles reports;
  private final OtherWork others;
  private final Duration limit;
  private final Console console;
  private final AlternatingRuns alternating;
  private final Map<String, AlternatingRuns.Rounds> bases = new LinkedHashMap<>();
  private final Map<Job, List<Link>> links = new LinkedHashMap<>();
  private double slowness = Double.NaN;
  private Pace pace;

  /** The runs of a job on links of one rate, which is empty without hosts. */
  private record Link(String rate, RunCosts costs, AlternatingRuns.Rounds rounds) {}

  /**
   * @param rows folder for files with rows
   */
  Measuring(
      Plan plan,
      List<String> managers,
      Path rows,
      Duration limit,
      ReportFiles reports,
      OtherWork others,
      Console console) {
    this.plan = plan;
    this.managers = managers;
    this.reports = reports;
    this.others = others;
    this.limit = limit;
    this.console = console;
    this.alternating = new AlternatingRuns(managers, rows, limit, console);
    for (Job job : plan.jobs()) {
      job.base()
          .ifPresent(
              request ->
                  bases.computeIfAbsent(
                      job.name(),
                      name ->
                          alternating.rounds(
                              name + " base",
                              plan.warmUps(),
                              plan.runs(),
                              request,
                              Optional.empty())));
      links.put(job, links(job));
    }
  }

  private List<Link> links(Job job) {
    String name = job.partitions() == 0 ? job.name() : job.name() + " " + job.partitions();
    List<String> rates = plan.rates().isEmpty() ? List.of("") : plan.rates();
    return rates.stream()
        .map(
            rate ->
                new Link(
                    rate,
                    new RunCosts(limit),
                    alternating.rounds(
                        rates.size() == 1 ? name : rate + " " + name,
                        plan.warmUps(),
                        plan.runs(),
                        job.request(),
                        job.unlimited())))
        .toList();
  }

  /**
   * Runs all jobs on applications that have just started.
   *
   * @param before how many such groups of applications have run
   * @param groups how many of them there are
   */
  void on(Fleet fleet, int before, int groups) throws IOException {
    Set<String> done = new HashSet<>();
    if (before == 0) {
      pace = pace(groups);
      pace.left().ifPresent(left -> console.line(announcement(left)));
    }
    reports.begin();
    for (Job job : plan.jobs()) {
      console.left(pace.percent(), pace.left());
      pace.next();
      others.begin();
      if (bases.containsKey(job.name()) && done.add(job.name())) {
        bases.get(job.name()).all(fleet.applications(), AlternatingRuns.Observer.NONE);
      }
      run(fleet, links.get(job));
      others.end();
      for (Link link : links.get(job)) {
        reports.add(result(job, link));
      }
      pace.done();
    }
    console.left(0, Optional.empty());
  }

  private Pace pace(int groups) {
    boolean known = plan.jobs().stream().allMatch(job -> job.seconds() > 0);
    List<Double> once = plan.jobs().stream().map(job -> known ? job.seconds() : 1.0).toList();
    return new Pace(
        System::nanoTime,
        Collections.nCopies(groups, once).stream().flatMap(List::stream).toList(),
        plan.runs() == 0 ? plan.time().map(Measuring::remaining) : Optional.empty(),
        known ? slowness : Double.NaN);
  }

  /** The part of a time since the start of the command that is left. */
  private static Duration remaining(Duration time) {
    return time.minusMillis(ManagementFactory.getRuntimeMXBean().getUptime());
  }

  private String announcement(Duration left) {
    return "\n%s, %s and %s with each, which takes about %s:"
        .formatted(
            plan.count(plan.jobs().size()),
            plan.countOfWarmUps(),
            plan.runs() == 0 ? "as many timed runs as fit" : plan.runs() + " timed",
            Figures.duration(left));
  }

  /** Runs the opening case, and learns how slow this machine is. */
  void open(Fleet fleet) throws IOException {
    Job job = plan.opening().orElseThrow();
    console.line(
        "\nA job that only shuffles: %s rows into %d partitions"
            .formatted(Figures.count(job.rows()), job.partitions()));
    long start = System.nanoTime();
    others.begin();
    AlternatingRuns.Rounds base =
        alternating.rounds(job.name() + " base", 1, 1, job.base().orElseThrow(), Optional.empty());
    base.all(fleet.applications(), AlternatingRuns.Observer.NONE);
    AlternatingRuns.Rounds whole =
        alternating.rounds(job.name(), 1, OPENING_RUNS, job.request(), Optional.empty());
    whole.all(fleet.applications(), AlternatingRuns.Observer.NONE);
    others.end();
    double seconds = (System.nanoTime() - start) / 1e9;
    slowness = job.seconds() > 0 ? seconds / job.seconds() : Double.NaN;
    reports.opening(
        new Result(
            "",
            job.name(),
            job.rows(),
            job.partitions(),
            whole.outcome(),
            base.outcome(),
            List.of()));
  }

  /** Runs a job as often as fits. */
  private void runs(Link link, Fleet fleet) {
    AlternatingRuns.Rounds rounds = link.rounds();
    AlternatingRuns.Observer observer = link.costs().of(fleet);
    int round = 0;
    while (round < plan.warmUps()) {
      rounds.run(round++, fleet.applications(), AlternatingRuns.Observer.NONE);
    }
    Duration last;
    do {
      long start = System.nanoTime();
      rounds.run(round++, fleet.applications(), observer);
      last = Duration.ofNanos(System.nanoTime() - start);
    } while (pace.another(round - plan.warmUps(), last));
  }

  private void run(Fleet fleet, List<Link> of) {
    if (plan.runs() == 0) {
      runs(of.getFirst(), fleet);
      return;
    }
    if (plan.rates().isEmpty()) {
      of.getFirst().rounds().all(fleet.applications(), of.getFirst().costs().of(fleet));
      return;
    }
    Hosts hosts = fleet.hosts().orElseThrow();
    // Rates change within each round: one that is measured after another one would profit from
    // code that the JVMs have compiled meanwhile.
    for (int round = 0; round < plan.warmUps() + plan.runs(); round++) {
      for (Link link : Turns.order(of, round)) {
        hosts.shape(link.rate());
        link.rounds().run(round, fleet.applications(), link.costs().of(fleet));
      }
    }
  }

  private Result result(Job job, Link link) {
    return new Result(
        link.rate(),
        job.name(),
        job.rows(),
        job.partitions(),
        link.rounds().outcome(),
        job.base().isPresent() ? bases.get(job.name()).outcome() : null,
        link.costs().costs(managers));
  }
}
