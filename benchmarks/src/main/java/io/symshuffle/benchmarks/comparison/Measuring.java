// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import io.symshuffle.benchmarks.launch.Running;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The runs of all jobs of a plan so far, to which each start of an application adds its own. Used
 * by one thread.
 */
final class Measuring {
  private final Plan plan;
  private final List<String> managers;
  private final Path rows;
  private final Duration limit;
  private final ReportFiles reports;
  private final Console console;
  private final Map<String, JobRuns> bases = new LinkedHashMap<>();

  /** The runs of each job by the rates of the links, which are empty without hosts. */
  private final Map<Job, Map<String, JobRuns>> runs = new LinkedHashMap<>();

  private int done;

  /**
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
    this.rows = rows;
    this.limit = limit;
    this.reports = reports;
    this.console = console;
    Stream.concat(plan.opening().stream(), plan.jobs().stream()).forEach(this::add);
  }

  private void add(Job job) {
    job.base()
        .ifPresent(
            base ->
                bases.computeIfAbsent(
                    job.name(), name -> runs(name + " base", base, Optional.empty(), false)));
    String name = job.partitions() == 0 ? job.title() : job.title() + " " + job.partitions();
    List<String> rates = plan.rates().isEmpty() ? List.of("") : plan.rates();
    Map<String, JobRuns> each = new LinkedHashMap<>();
    for (String rate : rates) {
      each.put(
          rate,
          runs(
              rates.size() == 1 ? name : rate + " " + name,
              job.request(),
              job.unlimited(),
              job.kill()));
    }
    runs.put(job, each);
  }

  private JobRuns runs(
      String name,
      Function<Path, Request> request,
      Optional<Function<Path, Request>> unlimited,
      boolean kill) {
    return new JobRuns(name, managers, rows, plan.runs(), request, unlimited, kill, limit);
  }

  /** Runs all jobs on an application that has just started. */
  void on(Running running) throws IOException {
    Set<String> baseDone = new HashSet<>();
    for (Map.Entry<Job, Map<String, JobRuns>> job : runs.entrySet()) {
      console.steps(done++, (long) runs.size() * managers.size() * plan.starts());
      String name = job.getKey().name();
      if (bases.containsKey(name) && baseDone.add(name)) {
        run(Map.of("", bases.get(name)), running);
      }
      run(job.getValue(), running);
      for (Map.Entry<String, JobRuns> link : job.getValue().entrySet()) {
        Result result = result(job.getKey(), link.getKey(), link.getValue());
        if (plan.opening().equals(Optional.of(job.getKey()))) {
          reports.opening(result);
        } else {
          reports.add(result);
        }
      }
    }
    console.status("");
  }

  /**
   * Rates change within each round: one that is measured after another one would profit from code
   * that the JVMs have compiled meanwhile.
   */
  private void run(Map<String, JobRuns> links, Running running) {
    for (int round = 0; round < plan.warmUps() + plan.runs(); round++) {
      // What runs first in one round runs last in the next.
      List<String> rates = new ArrayList<>(links.keySet());
      Collections.rotate(rates, -round);
      for (String rate : rates) {
        JobRuns each = links.get(rate);
        if (!rate.isEmpty()) {
          running.hosts().orElseThrow().shape(rate);
        }
        boolean timed = round >= plan.warmUps();
        console.status(
            "%s: %s, %s"
                .formatted(
                    each.name(),
                    timed
                        ? "run %d of %d".formatted(round - plan.warmUps() + 1, plan.runs())
                        : "warm-up",
                    running.application().name()));
        each.run(running, timed);
      }
    }
  }

  private Result result(Job job, String rate, JobRuns of) {
    return new Result(
        rate,
        job.title(),
        job.rows(),
        job.partitions(),
        of.outcome(),
        job.base().isPresent() ? bases.get(job.name()).outcome() : null,
        of.costs());
  }
}
