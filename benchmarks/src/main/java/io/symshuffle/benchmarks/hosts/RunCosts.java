// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.hosts;

import io.symshuffle.benchmarks.hosts.HostsResult.Cost;
import io.symshuffle.benchmarks.launch.HostCluster;
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
  private final HostCluster cluster;
  private final Map<String, List<Long>> bytes = new HashMap<>();
  private final Map<String, List<Double>> seconds = new HashMap<>();

  RunCosts(HostCluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public Reply observe(String manager, boolean timed, Supplier<Reply> run) {
    if (!timed) {
      return run.get();
    }
    long sent = cluster.hosts().bytes();
    Duration busy = cluster.cpuTime();
    Reply reply = run.get();
    bytes.computeIfAbsent(manager, name -> new ArrayList<>()).add(cluster.hosts().bytes() - sent);
    seconds
        .computeIfAbsent(manager, name -> new ArrayList<>())
        .add(cluster.cpuTime().minus(busy).toNanos() / 1e9);
    return reply;
  }

  /** Returns what was measured since the last call, in the order of the managers. */
  List<Cost> take(List<String> managers) {
    List<Cost> costs =
        managers.stream()
            .map(
                name ->
                    new Cost(
                        bytes.getOrDefault(name, List.of()), seconds.getOrDefault(name, List.of())))
            .toList();
    bytes.clear();
    seconds.clear();
    return costs;
  }
}
