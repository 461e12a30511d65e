// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import io.symshuffle.benchmarks.comparison.Result.Cost;
import io.symshuffle.benchmarks.launch.Fleet;
import io.symshuffle.benchmarks.launch.Hosts;
import io.symshuffle.benchmarks.measure.AlternatingRuns;
import io.symshuffle.benchmarks.measure.Statistics;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.protocol.StageFigures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Reads the counters of the executors, and of the hosts if there are any, before and after each
 * timed run. Those of the hosts count everything that executors do and send: blocks, results of
 * tasks and heartbeats, and what the idle executors of the other applications do meanwhile.
 */
final class RunCosts {
  private final Duration limit;
  private final Map<String, List<Run>> runs = new HashMap<>();

  /** A timed run that succeeded or failed; a failed one has no seconds. */
  private record Run(
      Optional<Double> seconds,
      List<Long> sentBytes,
      double cpuSeconds,
      Map<String, Double> executors,
      List<StageFigures> stages) {}

  RunCosts(Duration limit) {
    this.limit = limit;
  }

  /** Returns what measures the runs of these applications. */
  AlternatingRuns.Observer of(Fleet fleet) {
    return (manager, timed, run) -> timed ? measure(fleet, manager, run) : run.get();
  }

  private Reply measure(Fleet fleet, String manager, Supplier<Reply> run) {
    Map<String, Double> before = counters(fleet, manager);
    List<Long> sent = sentBytes(fleet);
    Duration busy = fleet.cpuTime();
    Reply reply = run.get();
    List<Long> bytes = sentBytes(fleet).stream().map(now -> now - sent.getFirst()).toList();
    double cpuSeconds = fleet.cpuTime().minus(busy).toNanos() / 1e9;
    Map<String, Double> gained = new TreeMap<>(counters(fleet, manager));
    gained.replaceAll((name, value) -> value - before.getOrDefault(name, 0.0));
    runs.computeIfAbsent(manager, name -> new ArrayList<>())
        .add(
            reply instanceof Reply.Measured measured
                ? new Run(
                    Optional.of(measured.seconds()), bytes, cpuSeconds, gained, measured.stages())
                : new Run(Optional.empty(), bytes, cpuSeconds, gained, List.of()));
    return reply;
  }

  /** What the hosts have sent; empty without hosts. */
  private static List<Long> sentBytes(Fleet fleet) {
    return fleet.hosts().map(Hosts::bytes).stream().toList();
  }

  /** The counters of a manager's executors; empty if one of them does not answer. */
  private Map<String, Double> counters(Fleet fleet, String manager) {
    return fleet.applications().stream()
        .filter(application -> application.name().equals(manager))
        .map(
            application ->
                application.ask(
                    new Request.Counters(), "reading the counters", limit, progress -> {}))
        .map(reply -> reply instanceof Reply.Counted counted ? counted.values() : null)
        .filter(values -> values != null)
        .findFirst()
        .orElse(Map.of());
  }

  /** Returns what was measured, in the order of the managers. */
  List<Cost> costs(List<String> managers) {
    return managers.stream().map(name -> cost(runs.getOrDefault(name, List.of()))).toList();
  }

  private static Cost cost(List<Run> of) {
    List<Double> seconds = of.stream().flatMap(run -> run.seconds().stream()).toList();
    Optional<Run> typical =
        of.stream()
            .filter(run -> run.seconds().isPresent())
            .min(
                Comparator.comparingDouble(
                    run -> Math.abs(run.seconds().orElseThrow() - Statistics.median(seconds))));
    return new Cost(
        of.stream().flatMap(run -> run.sentBytes().stream()).toList(),
        of.stream().map(Run::cpuSeconds).toList(),
        typical.map(Run::executors).orElse(Map.of()),
        typical.map(Run::stages).orElse(List.of()));
  }
}
