// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import io.symshuffle.benchmarks.comparison.Result.Cost;
import io.symshuffle.benchmarks.launch.Running;
import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.measure.RunResults;
import io.symshuffle.benchmarks.measure.Statistics;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.protocol.ShuffleFigures;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The runs of a piece of work so far, on all managers. After each run, the application removes its
 * shuffles. The rows of every run, including warm-ups, are compared with those of the first. If a
 * limit cuts through rows that tie in the query's order, runs may differ in those rows: the work
 * then runs once without the limit, and every row of the others is looked up in its rows. Used by
 * one thread.
 */
final class JobRuns {
  private final String name;
  private final int perStart;
  private final Function<Path, Request> request;
  private final boolean kill;
  private final Duration limit;
  private final RunResults results;
  private final Map<String, Lane> lanes = new LinkedHashMap<>();
  private Running running;

  /** The runs of a manager. */
  private static final class Lane {
    private final List<Run> runs = new ArrayList<>();
    private String failure = "";

    List<Double> seconds() {
      return runs.stream().map(run -> run.measured().seconds()).toList();
    }

    /** The run nearest to the median. */
    Optional<Run> typical() {
      return runs.stream()
          .min(
              Comparator.comparingDouble(
                  run -> Math.abs(run.measured().seconds() - Statistics.median(seconds()))));
    }
  }

  /**
   * A timed run, with what it took from the machine. The counters of hosts count everything that
   * executors do and send: blocks, results of tasks and heartbeats. What a killed executor took is
   * unknown.
   */
  private record Run(
      Reply.Measured measured,
      Optional<Long> sentBytes,
      Optional<Double> cpuSeconds,
      Map<String, Double> executors) {}

  /**
   * @param managers names of the applications, baseline first
   * @param folder for files with rows
   * @param perStart timed runs of each start of an application
   * @param request creates the request, given the file for the rows
   * @param unlimited for work that ends with a LIMIT, creates the request without it
   * @param kill whether an executor is killed in each run
   * @param limit time limit of a run
   */
  JobRuns(
      String name,
      List<String> managers,
      Path folder,
      int perStart,
      Function<Path, Request> request,
      Optional<Function<Path, Request>> unlimited,
      boolean kill,
      Duration limit) {
    this.name = name;
    this.perStart = perStart;
    this.request = request;
    this.kill = kill;
    this.limit = limit;
    this.results =
        new RunResults(
            folder, name, unlimited.map(whole -> file -> runUnlimited(whole.apply(file))));
    managers.forEach(manager -> lanes.put(manager, new Lane()));
  }

  String name() {
    return name;
  }

  /**
   * Runs the work once, unless it has failed on this manager. If an executor is killed, it runs
   * without that first, and takes no part in warm-ups.
   *
   * @param timed false for warm-ups
   * @throws io.symshuffle.cli.CliException if the application dies or exceeds the limit
   */
  void run(Running where, boolean timed) {
    running = where;
    String manager = where.application().name();
    Lane lane = lanes.get(manager);
    if (!lane.failure.isEmpty() || (kill && !timed)) {
      return;
    }
    Path file = results.fileOf(manager);
    if (kill && !prepareKill(request.apply(file), lane)) {
      return;
    }
    Map<String, Double> counters = timed && !kill ? counters() : Map.of();
    Optional<Long> sent = where.sentBytes();
    Duration busy = where.cpuTime();
    switch (ask(request.apply(file))) {
      case Reply.Measured measured -> {
        if (timed) {
          double cpuSeconds = where.cpuTime().minus(busy).toNanos() / 1e9;
          Optional<Long> bytes = where.sentBytes().map(now -> now - sent.orElseThrow());
          Map<String, Double> gained = new TreeMap<>(kill ? Map.of() : counters());
          gained.replaceAll((key, value) -> value - counters.getOrDefault(key, 0.0));
          lane.runs.add(
              new Run(measured, bytes, kill ? Optional.empty() : Optional.of(cpuSeconds), gained));
        }
        results.compare(manager, file, measured.columns());
      }
      case Reply.Failed failed -> lane.failure = failed.message();
      case Reply other -> throw new IllegalStateException("unexpected reply: " + other);
    }
    clean();
  }

  /** Otherwise the code of an executor that Spark has just started would be slow. */
  private boolean prepareKill(Request work, Lane lane) {
    for (Request each :
        List.of(new Request.AwaitExecutors(), work, new Request.Clean(), new Request.Announce())) {
      if (ask(each) instanceof Reply.Failed failed) {
        lane.failure = failed.message();
        return false;
      }
    }
    return true;
  }

  private Reply ask(Request work) {
    // Progress is what was asked for in order to kill an executor at that moment.
    return running.application().ask(work, name, limit, progress -> running.killExecutor());
  }

  private void clean() {
    ask(new Request.Clean());
  }

  /** The counters of the executors; empty if one of them does not answer. */
  private Map<String, Double> counters() {
    return ask(new Request.Counters()) instanceof Reply.Counted counted
        ? counted.values()
        : Map.of();
  }

  private String runUnlimited(Request work) {
    Reply reply = ask(work);
    clean();
    return reply instanceof Reply.Failed failed
        ? "without its limit, %s failed: %s"
            .formatted(running.application().name(), failed.message())
        : "";
  }

  /** Returns the outcome of all runs so far, including those that failed in Spark. */
  Outcome outcome() {
    List<Entry> entries = new ArrayList<>();
    lanes.forEach((manager, lane) -> entries.add(entry(manager, lane)));
    return new Outcome(name, entries, results.difference(), results.tied(), perStart);
  }

  private static Entry entry(String manager, Lane lane) {
    Optional<Reply.Measured> typical = lane.typical().map(Run::measured);
    return lane.failure.isEmpty() && typical.isPresent()
        ? new Entry(
            manager,
            lane.seconds(),
            typical.get().rows(),
            ShuffleFigures.of(typical.get().stages()),
            "")
        : new Entry(manager, List.of(), 0, ShuffleFigures.NONE, lane.failure);
  }

  /** Returns what the runs took apart from seconds, in the order of the managers. */
  List<Cost> costs() {
    return lanes.values().stream().map(JobRuns::cost).toList();
  }

  private static Cost cost(Lane lane) {
    return new Cost(
        lane.runs.stream().flatMap(run -> run.sentBytes().stream()).toList(),
        lane.runs.stream().flatMap(run -> run.cpuSeconds().stream()).toList(),
        lane.typical().map(Run::executors).orElse(Map.of()),
        lane.typical().map(run -> run.measured().stages()).orElse(List.of()));
  }
}
