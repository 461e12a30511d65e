// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.cli.CliException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/** The applications of a comparison, started and ended together. */
public final class Fleet implements AutoCloseable {
  private final List<Application> applications = new ArrayList<>();

  private final List<GpuCluster> clusters = new ArrayList<>();

  private Fleet() {}

  /**
   * Starts the applications and waits until each has executors.
   *
   * @param limit time limit for the start of each
   * @param console says what is being waited for
   * @throws CliException if one does not start; all are ended then
   */
  public static Fleet start(
      List<ApplicationSpec> specs, SparkRuntime runtime, Duration limit, Console console) {
    Fleet fleet = new Fleet();
    try {
      specs.forEach(spec -> fleet.applications.add(Application.start(spec, runtime, console)));
      fleet.applications.forEach(application -> application.awaitReady(limit));
      return fleet;
    } catch (RuntimeException e) {
      fleet.close();
      throw e;
    }
  }

  /**
   * Starts applications on GPUs in sequence, each on its own cluster, so that the executors of one
   * allocate their share of GPU memory before those of the next one check what is free.
   *
   * @param specs creates the application with a number for its cluster
   * @param count number of applications
   * @param gpus number of GPUs, and what each executor gets
   * @param folder for the clusters' logs
   * @param locals see {@link ClusterOptions#localFolders}
   * @param limit time limit for the start of each
   * @param console says what is being waited for
   * @throws CliException if one does not start; all are ended then
   */
  public static Fleet startOnGpus(
      BiFunction<Integer, SparkMaster, ApplicationSpec> specs,
      int count,
      GpuOptions gpus,
      SparkRuntime runtime,
      Path folder,
      Optional<String> locals,
      Duration limit,
      Console console) {
    Fleet fleet = new Fleet();
    try {
      for (int i = 0; i < count; i++) {
        GpuCluster cluster =
            GpuCluster.start(
                runtime,
                folder.resolve("cluster" + i),
                GpuCluster.turns(gpus.count(), gpus.count()),
                gpus.worker(),
                locals,
                console);
        fleet.clusters.add(cluster);
        Application application =
            Application.start(specs.apply(i, cluster.master()), runtime, console);
        fleet.applications.add(application);
        application.awaitReady(limit);
      }
      return fleet;
    } catch (RuntimeException e) {
      fleet.close();
      throw e;
    }
  }

  /** Returns what each application reported when it was ready, in the same order. */
  public List<Reply.Ready> ready() {
    return applications.stream().map(Application::ready).toList();
  }

  /** Returns the applications in the order of the specs. */
  public List<Application> applications() {
    return List.copyOf(applications);
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
    applications.parallelStream().forEach(Application::close);
    clusters.parallelStream().forEach(GpuCluster::close);
  }
}
