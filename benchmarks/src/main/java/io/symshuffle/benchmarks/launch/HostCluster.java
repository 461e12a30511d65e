// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.launch;

import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.Waiting;
import io.symshuffle.cli.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A standalone Spark cluster on {@link Hosts}, each with one worker that uses one CPU of this
 * machine. The master and the drivers run on this machine outside of the hosts, so that all bytes
 * that the hosts send are those of executors. Every application gets an executor with one core on
 * each host.
 */
public final class HostCluster implements AutoCloseable {
  private static final int MEMORY_GIB = 1024; // a worker does not check it, and does not use it

  private final Hosts hosts;
  private final StandaloneProcesses processes;
  private final List<ChildProcess> workers = new ArrayList<>();
  private String url;

  private HostCluster(Hosts hosts, StandaloneProcesses processes) {
    this.hosts = hosts;
    this.processes = processes;
  }

  /**
   * Creates hosts, starts the processes, and waits until all workers are registered.
   *
   * @param folder for logs and the workers' folders; created, or replaced if it exists
   * @param count number of hosts
   * @param applications how many applications can have executors at a time
   * @param console says what is being waited for
   * @throws CliException if hosts cannot be created, see {@link Hosts#obstacle}, or a process does
   *     not start within a minute; everything is ended and removed then
   */
  public static HostCluster start(
      SparkRuntime runtime, Path folder, int count, int applications, Console console) {
    Waiting waiting = console.waiting(() -> "a Spark cluster on hosts to start in " + folder);
    try {
      Folders.delete(folder);
      Files.createDirectories(folder);
      Files.createSymbolicLink(folder.resolve("jars"), runtime.sparkJars());
      Hosts hosts = Hosts.create(folder, count);
      HostCluster cluster = new HostCluster(hosts, new StandaloneProcesses(runtime, folder));
      try {
        cluster.start(applications, folder);
        return cluster;
      } catch (IOException | RuntimeException e) {
        cluster.close();
        throw e;
      }
    } catch (IOException e) {
      throw new CliException("Cannot start a Spark cluster in " + folder + ": " + e, e);
    } finally {
      waiting.close();
    }
  }

  private void start(int applications, Path folder) throws IOException {
    url = processes.startMaster(hosts.outside());
    int cpus = Runtime.getRuntime().availableProcessors();
    for (int host = 0; host < hosts.count(); host++) {
      List<String> prefix = hosts.on(host, List.of("taskset", "-c", Integer.toString(host % cpus)));
      workers.add(
          processes.startWorker(
              host,
              prefix,
              hosts.address(host),
              List.of(),
              applications,
              MEMORY_GIB,
              url,
              Map.of("SPARK_LOCAL_DIRS", folder.resolve("local" + host).toString())));
    }
    processes.awaitRegistered(workers);
  }

  /** Returns the master's address. */
  public SparkMaster master() {
    return new SparkMaster(url);
  }

  /** Returns settings with those that an application on these hosts needs. */
  public Map<String, String> settings(Map<String, String> others) {
    Map<String, String> all = new LinkedHashMap<>(others);
    all.put("spark.driver.host", hosts.outside());
    all.put("spark.driver.bindAddress", hosts.outside());
    all.put("spark.executor.cores", "1");
    all.put("spark.cores.max", Integer.toString(hosts.count()));
    return all;
  }

  /** Returns the hosts. */
  public Hosts hosts() {
    return hosts;
  }

  /** Returns the CPU time of all living executors since their start, with a precision of 10 ms. */
  public Duration cpuTime() {
    return workers.stream()
        .map(ChildProcess::handle)
        .flatMap(ProcessHandle::descendants)
        .map(executor -> executor.info().totalCpuDuration())
        .flatMap(Optional::stream)
        .reduce(Duration.ZERO, Duration::plus);
  }

  /** Ends the processes and removes the hosts. */
  @Override
  public void close() {
    try (hosts) {
      processes.close();
    }
  }
}
