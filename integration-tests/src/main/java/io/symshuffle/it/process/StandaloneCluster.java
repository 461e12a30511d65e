// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.process;

import io.symshuffle.process.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A standalone master and its workers, each a process on this machine with a free port. Worker n
 * has the address 127.0.0.(n+1), so that Spark treats the workers as different hosts.
 */
public final class StandaloneCluster implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Pattern MASTER_URL =
      Pattern.compile("Starting Spark master at (spark://[0-9.]+:[0-9]+)");
  private static final Pattern REGISTERED = Pattern.compile("Successfully registered with master");

  private final List<ChildProcess> processes = new ArrayList<>();
  private final String url;

  private StandaloneCluster(SparkHome home, Path folder) {
    List<String> command = new ArrayList<>(home.java(512));
    Collections.addAll(
        command,
        "org.apache.spark.deploy.master.Master",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--webui-port",
        "0");
    ChildProcess master =
        home.process(command).name("master").log(folder.resolve("master.log")).start();
    processes.add(master);
    try {
      url = master.awaitOutput(MASTER_URL, START_LIMIT).group(1);
    } catch (IllegalStateException e) {
      close();
      throw e;
    }
  }

  /**
   * Starts the master, then the workers, and waits until all are registered.
   *
   * @param home the installation that all processes use
   * @param workers number of workers
   * @param cores of each worker
   * @param memoryMb memory of each worker in MiB
   * @param folder for logs and the workers' folders
   * @return the cluster, all workers registered
   */
  public static StandaloneCluster start(
      SparkHome home, int workers, int cores, int memoryMb, Path folder) {
    StandaloneCluster cluster = new StandaloneCluster(home, folder);
    try {
      for (int i = 0; i < workers; i++) {
        cluster.processes.add(cluster.startWorker(home, i, cores, memoryMb, folder));
      }
      for (ChildProcess worker : cluster.processes.subList(1, cluster.processes.size())) {
        worker.awaitOutput(REGISTERED, START_LIMIT);
      }
      return cluster;
    } catch (IllegalStateException e) {
      cluster.close();
      throw e;
    }
  }

  /** {@return the master's address for {@code --master}} */
  public String url() {
    return url;
  }

  /**
   * {@return folder in which a worker keeps the logs of its executors, by application id}
   *
   * @param folder the folder passed to {@link #start}
   * @param worker number of the worker, from 0
   */
  public static Path workFolder(Path folder, int worker) {
    return folder.resolve("work-" + worker);
  }

  /** Kills master, workers and their executors. */
  @Override
  public void close() {
    processes.reversed().forEach(ChildProcess::close);
  }

  private ChildProcess startWorker(
      SparkHome home, int number, int cores, int memoryMb, Path folder) {
    List<String> command = new ArrayList<>(home.java(512));
    Collections.addAll(
        command,
        "org.apache.spark.deploy.worker.Worker",
        "--host",
        "127.0.0." + (number + 1),
        "--webui-port",
        "0",
        "--cores",
        Integer.toString(cores),
        "--memory",
        memoryMb + "m",
        "--work-dir",
        workFolder(folder, number).toString(),
        url);
    return home.process(command)
        .name("worker " + number)
        .log(folder.resolve("worker-%d.log".formatted(number)))
        .start();
  }
}
