// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import io.symshuffle.benchmarks.launch.Fleet;
import io.symshuffle.benchmarks.launch.Hosts;
import io.symshuffle.benchmarks.measure.Contest;
import io.symshuffle.benchmarks.measure.Turns;
import io.symshuffle.benchmarks.report.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
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
  private final Plan plan;
  private final List<String> managers;
  private final ReportFiles reports;
  private final Duration limit;
  private final Console console;
  private final Contest contest;
  private final Map<String, Contest.Rounds> bases = new LinkedHashMap<>();
  private final Map<Job, List<Link>> links = new LinkedHashMap<>();

  /** The runs of a job on links of one rate, which is empty without hosts. */
  private record Link(String rate, RunCosts costs, Contest.Rounds rounds) {}

  /**
   * Nothing has run yet.
   *
   * @param rows folder for files with rows
   * @param limit time limit of a run
   */
  Measuring(
      Plan plan,
      List<String> managers,
      Path rows,
      Duration limit,
      ReportFiles reports,
      Console console) {
    this.plan = plan;
    this.managers = managers;
    this.reports = reports;
    this.limit = limit;
    this.console = console;
    this.contest = new Contest(managers, rows, limit, console);
    for (Job job : plan.jobs()) {
      job.base()
          .ifPresent(
              request ->
                  bases.computeIfAbsent(
                      job.name(),
                      name ->
                          contest.rounds(
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
                    contest.rounds(
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
    long jobs = plan.jobs().size();
    long step = before * jobs;
    for (Job job : plan.jobs()) {
      console.steps(step++, groups * jobs);
      if (bases.containsKey(job.name()) && done.add(job.name())) {
        bases.get(job.name()).all(fleet.applications(), Contest.Observer.NONE);
      }
      run(fleet, links.get(job));
      for (Link link : links.get(job)) {
        reports.add(result(job, link));
      }
    }
    console.steps(0, 0);
  }

  private void run(Fleet fleet, List<Link> of) {
    if (plan.rates().isEmpty()) {
      of.getFirst().rounds().all(fleet.applications(), Contest.Observer.NONE);
      return;
    }
    Hosts hosts = fleet.hosts().orElseThrow();
    // Rates change within each round: one that is measured after another one would profit from
    // code that the JVMs have compiled meanwhile.
    for (int round = 0; round < plan.warmUps() + plan.runs(); round++) {
      for (Link link : Turns.order(of, round)) {
        if (plan.delay().isEmpty()) {
          hosts.shape(link.rate());
        } else {
          hosts.shape(link.rate(), "delay", plan.delay());
        }
        link.rounds().run(round, fleet.applications(), link.costs().of(fleet, hosts));
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
        plan.rates().isEmpty() ? List.of() : link.costs().costs(managers));
  }
}
