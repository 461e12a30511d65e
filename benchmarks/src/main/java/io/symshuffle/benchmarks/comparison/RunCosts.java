// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import io.symshuffle.benchmarks.comparison.Result.Cost;
import io.symshuffle.benchmarks.launch.Fleet;
import io.symshuffle.benchmarks.launch.Hosts;
import io.symshuffle.benchmarks.measure.Contest;
import io.symshuffle.benchmarks.protocol.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Reads the counters of the hosts before and after each timed run. They count everything that
 * executors do and send: blocks, results of tasks and heartbeats, and what the idle executors of
 * the other applications do meanwhile.
 */
final class RunCosts implements Contest.Observer {
  private final Fleet fleet;
  private final Hosts hosts;
  private final Map<String, List<Long>> bytes = new HashMap<>();
  private final Map<String, List<Double>> seconds = new HashMap<>();

  RunCosts(Fleet fleet, Hosts hosts) {
    this.fleet = fleet;
    this.hosts = hosts;
  }

  @Override
  public Reply observe(String manager, boolean timed, Supplier<Reply> run) {
    if (!timed) {
      return run.get();
    }
    long sent = hosts.bytes();
    Duration busy = fleet.cpuTime();
    Reply reply = run.get();
    bytes.computeIfAbsent(manager, name -> new ArrayList<>()).add(hosts.bytes() - sent);
    seconds
        .computeIfAbsent(manager, name -> new ArrayList<>())
        .add(fleet.cpuTime().minus(busy).toNanos() / 1e9);
    return reply;
  }

  /** Returns what was measured, in the order of the managers. */
  List<Cost> costs(List<String> managers) {
    return managers.stream()
        .map(
            name ->
                new Cost(
                    bytes.getOrDefault(name, List.of()), seconds.getOrDefault(name, List.of())))
        .toList();
  }
}
