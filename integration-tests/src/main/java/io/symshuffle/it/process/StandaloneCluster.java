// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.process;

import io.symshuffle.benchmarks.launch.Hosts;
import io.symshuffle.process.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A standalone master and its workers, each a process on this machine with a free port. Worker n
 * has the address 127.0.0.(n+1), so that Spark treats the workers as different hosts, or it is on
 * host n of {@link Hosts}.
 */
public final class StandaloneCluster implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Pattern MASTER_URL =
      Pattern.compile("Starting Spark master at (spark://[0-9.]+:[0-9]+)");
  private static final Pattern REGISTERED = Pattern.compile("Successfully registered with master");

  private final SparkHome home;
  private final Size size;
  private final Path folder;
  private final Optional<Hosts> hosts;
  private final List<ChildProcess> workers = new ArrayList<>();
  private final ChildProcess master;
  private final String url;

  /**
   * How many workers, and how large.
   *
   * @param memoryMb memory of each worker in MiB
   */
  public record Size(int workers, int cores, int memoryMb) {}

  private StandaloneCluster(SparkHome home, Size size, Path folder, Optional<Hosts> hosts) {
    this.home = home;
    this.size = size;
    this.folder = folder;
    this.hosts = hosts;
    List<String> command = new ArrayList<>(home.java(512));
    Collections.addAll(
        command,
        "org.apache.spark.deploy.master.Master",
        "--host",
        address(),
        "--port",
        "0",
        "--webui-port",
        "0");
    master =
        home.process(command)
            .environment(Map.of("SPARK_LOCAL_IP", address()))
            .name("master")
            .log(folder.resolve("master.log"))
            .start();
    try {
      url = master.awaitOutput(MASTER_URL, START_LIMIT).group(1);
    } catch (IllegalStateException e) {
      close();
      throw e;
    }
  }

  /** As below, with workers on this machine. */
  public static StandaloneCluster start(
      SparkHome home, int workers, int cores, int memoryMb, Path folder) {
    return start(home, new Size(workers, cores, memoryMb), folder, Optional.empty());
  }

  /**
   * Starts the master, then the workers, and waits until all are registered.
   *
   * @param home the installation that all processes use
   * @param size of the workers
   * @param folder for logs and the workers' folders
   * @param hosts one for each worker, closed with the cluster; empty for workers without
   */
  public static StandaloneCluster start(
      SparkHome home, Size size, Path folder, Optional<Hosts> hosts) {
    StandaloneCluster cluster = new StandaloneCluster(home, size, folder, hosts);
    try {
      for (int number = 0; number < size.workers; number++) {
        cluster.workers.add(cluster.launchWorker(number));
      }
      cluster.workers.forEach(worker -> worker.awaitOutput(REGISTERED, START_LIMIT));
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

  /** {@return the address of this machine for the workers} */
  public String address() {
    return hosts.map(Hosts::outside).orElse("127.0.0.1");
  }

  /** {@return the hosts of the workers} */
  public Optional<Hosts> hosts() {
    return hosts;
  }

  /** Kills a worker and its executors. */
  public void killWorker(int number) {
    workers.get(number).close();
  }

  /** Starts a worker again that was killed, and waits until it is registered. */
  public void restartWorker(int number) {
    workers.set(number, launchWorker(number));
    workers.get(number).awaitOutput(REGISTERED, START_LIMIT);
  }

  /**
   * {@return what is in the shared memory of the hosts, as paths there} Executors that their worker
   * ends may leave files, which the next application removes.
   */
  public List<String> sharedFiles() {
    List<String> files = new ArrayList<>();
    for (int host = 0; hosts.isPresent() && host < size.workers; host++) {
      List<String> find = List.of("find", "/dev/shm", "-mindepth", "1");
      for (String file :
          ChildProcess.of(hosts.get().on(host, find)).run(START_LIMIT).output().lines().toList()) {
        files.add(file + " on host " + host);
      }
    }
    return files;
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
    workers.reversed().forEach(ChildProcess::close);
    master.close();
    hosts.ifPresent(Hosts::close);
  }

  private ChildProcess launchWorker(int number) {
    String address =
        hosts.map(all -> all.address(number)).orElseGet(() -> "127.0.0." + (number + 1));
    List<String> command = new ArrayList<>(home.java(512));
    Collections.addAll(
        command,
        "org.apache.spark.deploy.worker.Worker",
        "--host",
        address,
        "--webui-port",
        "0",
        "--cores",
        Integer.toString(size.cores),
        "--memory",
        size.memoryMb + "m",
        "--work-dir",
        workFolder(folder, number).toString(),
        url);
    return home.process(hosts.map(all -> all.on(number, command)).orElse(command))
        .environment(Map.of("SPARK_LOCAL_IP", hosts.isPresent() ? address : "127.0.0.1"))
        .name("worker " + number)
        .log(folder.resolve("worker-%d.log".formatted(number)))
        .start();
  }
}
