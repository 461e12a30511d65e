// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.cli.CliException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The applications of a comparison and where they run, ended together. Used by one thread. */
public final class Fleet implements AutoCloseable {
  private final SparkRuntime runtime;
  private final Duration limit;
  private final Console console;
  private final List<Application> applications = new ArrayList<>();
  private final List<WorkerCluster> clusters = new ArrayList<>();
  private Hosts hosts;

  /**
   * @param limit time limit for the start of each application
   */
  Fleet(SparkRuntime runtime, Duration limit, Console console) {
    this.runtime = runtime;
    this.limit = limit;
    this.console = console;
  }

  /** Takes over hosts. */
  void add(Hosts hosts) {
    this.hosts = hosts;
  }

  /** Takes over a cluster. */
  void add(WorkerCluster cluster) {
    clusters.add(cluster);
  }

  /** Starts an application; see {@link #awaitReady}. */
  void launch(ApplicationSpec spec) {
    applications.add(Application.start(spec, runtime, console));
  }

  /**
   * Waits until each application has executors.
   *
   * @throws CliException if one does not start
   */
  void awaitReady() {
    applications.stream()
        .filter(application -> application.ready() == null)
        .forEach(application -> application.awaitReady(limit));
  }

  /** Returns what each application reported when it was ready, in the same order. */
  public List<Reply.Ready> ready() {
    return applications.stream().map(Application::ready).toList();
  }

  /** Returns the applications in the order of the managers. */
  public List<Application> applications() {
    return List.copyOf(applications);
  }

  /** Returns the hosts on which the executors run; empty if they run on other machines or here. */
  public Optional<Hosts> hosts() {
    return Optional.ofNullable(hosts);
  }

  /** Returns the CPU time of all living executors that run on this machine. */
  public Duration cpuTime() {
    Stream<ProcessHandle> all =
        Stream.concat(
            clusters.stream().flatMap(cluster -> cluster.executors().stream()),
            applications.stream().flatMap(application -> application.executors().stream()));
    return all.map(executor -> executor.info().totalCpuDuration())
        .flatMap(Optional::stream)
        .reduce(Duration.ZERO, Duration::plus);
  }

  /**
   * Sends a request to all applications in turn.
   *
   * @throws CliException if it fails, or an application dies or exceeds the limit
   */
  public void askAll(Request request, String what, Duration limit) {
    for (Application application : applications) {
      if (application.ask(request, what, limit, progress -> {}) instanceof Reply.Failed failed) {
        throw new CliException(
            "The application '"
                + application.name()
                + "' failed in "
                + what
                + ": "
                + failed.message()
                + ". Its log: "
                + application.log());
      }
    }
  }

  @Override
  public void close() {
    try {
      applications.parallelStream().forEach(Application::close);
    } finally {
      try {
        clusters.parallelStream().forEach(WorkerCluster::close);
      } finally {
        hosts().ifPresent(Hosts::close);
      }
    }
  }
}
