// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A running application of a comparison with what was started for it.
 *
 * @param cluster where its executors run, unless it starts them itself or they run elsewhere
 * @param hosts the hosts of the cluster; empty if it is here
 * @param service the shuffle service that it uses, if any
 */
public record Running(
    Application application,
    Optional<WorkerCluster> cluster,
    Optional<Hosts> hosts,
    Optional<CelebornService> service)
    implements AutoCloseable {
  /**
   * Returns the CPU time of all living executors that run on this machine, and of their shuffle
   * service.
   */
  public Duration cpuTime() {
    return Stream.concat(
            executors().stream(), service.stream().flatMap(own -> own.handles().stream()))
        .map(executor -> executor.info().totalCpuDuration())
        .flatMap(Optional::stream)
        .reduce(Duration.ZERO, Duration::plus);
  }

  private List<ProcessHandle> executors() {
    return cluster.map(WorkerCluster::executors).orElseGet(application::executors);
  }

  /**
   * Kills an executor that runs on this machine or its hosts with SIGKILL; Spark starts another
   * one.
   *
   * @throws IllegalStateException if there is none
   */
  public void killExecutor() {
    executors().stream()
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no executor to kill runs on this machine"))
        .destroyForcibly();
  }

  /** Returns the bytes that the hosts have sent so far; empty without hosts. */
  public Optional<Long> sentBytes() {
    return hosts.map(Hosts::bytes);
  }

  @Override
  public void close() {
    try {
      application.close();
    } finally {
      close(cluster, hosts, service);
    }
  }

  /** Ends a cluster and a shuffle service, and removes the cluster's hosts. */
  static void close(
      Optional<WorkerCluster> cluster, Optional<Hosts> hosts, Optional<CelebornService> service) {
    try {
      cluster.ifPresent(WorkerCluster::close);
    } finally {
      hosts.ifPresent(Hosts::close);
      service.ifPresent(CelebornService::close);
    }
  }
}
