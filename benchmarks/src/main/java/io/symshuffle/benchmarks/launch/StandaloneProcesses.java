// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.launch;

import io.symshuffle.cli.CliException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.launcher.JavaModuleOptions;

/** The master and the workers of a standalone Spark cluster, without Spark's shell scripts. */
final class StandaloneProcesses implements AutoCloseable {
  private static final Duration TIME_TO_START = Duration.ofSeconds(60);
  private static final Pattern URL = Pattern.compile("Starting Spark master at (spark://\\S+)");
  private static final Pattern REGISTERED = Pattern.compile("Successfully registered with master");

  private final SparkRuntime runtime;
  private final Path folder;
  private final List<ChildProcess> processes = new ArrayList<>();

  /**
   * Starts nothing yet.
   *
   * @param folder for logs and the workers' folders, with a link {@code jars} to Spark's jars
   */
  StandaloneProcesses(SparkRuntime runtime, Path folder) {
    this.runtime = runtime;
    this.folder = folder;
  }

  /**
   * Starts the master and waits until it listens.
   *
   * @param address where it listens
   * @return its URL
   */
  String startMaster(String address) throws IOException {
    List<String> line = java(List.of(), "org.apache.spark.deploy.master.Master");
    line.addAll(List.of("--host", address, "--port", "0", "--webui-port", "0"));
    return await(run("master", line, address, Map.of()), "master", URL).group(1);
  }

  /**
   * Starts a worker; see {@link #awaitRegistered}.
   *
   * @param number number of the worker, from 0
   * @param prefix command that runs the worker's command; empty to run it on this machine
   * @param address where it and its executors listen
   * @param options of its JVM
   * @param cores what it offers
   * @param memoryGiB what it offers
   * @param master URL of the master
   * @param environment of it and its executors, in addition to what Spark needs
   */
  ChildProcess startWorker(
      int number,
      List<String> prefix,
      String address,
      List<String> options,
      int cores,
      int memoryGiB,
      String master,
      Map<String, String> environment)
      throws IOException {
    List<String> line = new ArrayList<>(prefix);
    line.addAll(java(options, "org.apache.spark.deploy.worker.Worker"));
    line.addAll(List.of("--host", address, "--webui-port", "0"));
    line.addAll(List.of("--cores", Integer.toString(cores)));
    line.addAll(List.of("--memory", memoryGiB + "g"));
    line.addAll(List.of("--work-dir", folder.resolve("work" + number).toString(), master));
    return run("worker" + number, line, address, environment);
  }

  /** Waits until workers are registered. */
  void awaitRegistered(List<ChildProcess> workers) throws IOException {
    for (int i = 0; i < workers.size(); i++) {
      await(workers.get(i), "worker" + i, REGISTERED);
    }
  }

  /** Ends all processes, last ones first. */
  @Override
  public void close() {
    processes.reversed().forEach(ChildProcess::close);
    processes.clear();
  }

  private List<String> java(List<String> options, String main) {
    List<String> line = new ArrayList<>();
    line.add(SparkRuntime.javaHome().resolve("bin/java").toString());
    line.add("-Xmx512m");
    line.addAll(Arrays.asList(JavaModuleOptions.defaultModuleOptionArray()));
    line.addAll(List.of("-cp", runtime.sparkJars() + "/*"));
    line.addAll(options);
    line.add(main);
    return line;
  }

  private ChildProcess run(String name, List<String> line, String address, Map<String, String> more)
      throws IOException {
    Map<String, String> environment = new HashMap<>(more);
    environment.put("JAVA_HOME", SparkRuntime.javaHome().toString());
    environment.put("SPARK_HOME", folder.toString());
    environment.put("SPARK_SCALA_VERSION", "2.13");
    environment.put("SPARK_LOCAL_IP", address);
    ChildProcess process =
        ChildProcess.start(line, environment, folder, folder.resolve(name + ".log"));
    processes.add(process);
    return process;
  }

  private static Matcher await(ChildProcess process, String name, Pattern sign) throws IOException {
    return process
        .awaitOutput(sign, TIME_TO_START)
        .orElseThrow(
            () ->
                new CliException(
                    "Spark's %s did not start within %d s. Its log: %s%s"
                        .formatted(
                            name,
                            TIME_TO_START.toSeconds(),
                            process.log(),
                            LogHint.of(process.log()))));
  }
}
