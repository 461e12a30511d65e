// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.Waiting;
import io.symshuffle.cli.CliException;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.spark.launcher.JavaModuleOptions;

/**
 * A standalone Spark cluster on this machine without Spark's shell scripts: a master, and workers
 * here or on {@link Hosts}. Several clusters, and several workers, can share a GPU.
 */
public final class WorkerCluster implements AutoCloseable {
  /** Where this machine's processes reach each other. */
  public static final String HERE = "127.0.0.1";

  private static final Duration TIME_TO_START = Duration.ofSeconds(60);
  private static final Duration TIME_TO_END = Duration.ofSeconds(10);
  private static final Pattern URL = Pattern.compile("Starting Spark master at (spark://\\S+)");
  private static final Pattern REGISTERED = Pattern.compile("Successfully registered with master");

  /**
   * A worker.
   *
   * @param prefix command that runs the worker's command; empty to run it on this machine
   * @param address where it and its executors listen
   * @param gpu the GPU that it offers, as its executors number those that they see; empty for none
   * @param cores what it offers
   * @param memoryGiB what it offers
   * @param environment of it and its executors, in addition to what Spark needs
   */
  public record Worker(
      List<String> prefix,
      String address,
      OptionalInt gpu,
      int cores,
      int memoryGiB,
      Map<String, String> environment) {
    public Worker {
      prefix = List.copyOf(prefix);
      environment = Map.copyOf(environment);
    }
  }

  private final SparkRuntime runtime;
  private final Path folder;
  private final List<ChildProcess> processes = new ArrayList<>();
  private List<ChildProcess> workers = List.of();
  private String url;

  private WorkerCluster(SparkRuntime runtime, Path folder) {
    this.runtime = runtime;
    this.folder = folder;
  }

  /**
   * Starts the processes and waits until all workers are registered.
   *
   * @param folder for logs and the workers' folders; created, or replaced if it exists
   * @param address where the master listens
   * @param workers at least one
   * @throws CliException if a process does not start within a minute; all are ended then
   */
  public static WorkerCluster start(
      SparkRuntime runtime, Path folder, String address, List<Worker> workers, Console console) {
    WorkerCluster cluster = new WorkerCluster(runtime, folder);
    Waiting waiting = console.waiting(() -> "a Spark cluster to start in " + folder);
    try {
      Folders.delete(folder);
      Files.createDirectories(folder);
      Files.createSymbolicLink(folder.resolve("jars"), runtime.sparkJars());
      cluster.start(address, workers);
      return cluster;
    } catch (IOException | UncheckedIOException e) {
      cluster.close();
      throw new CliException("Cannot start a Spark cluster in " + folder + ": " + e, e);
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    } finally {
      waiting.close();
    }
  }

  /**
   * Starts a cluster of one worker per executor, all of them on this machine.
   *
   * @param gpus CUDA's number of the GPU of each worker
   * @param size cores and memory of each worker
   * @param locals parents of the local folders, separated by commas; by default in {@code folder}
   * @see #start
   */
  public static WorkerCluster onGpus(
      SparkRuntime runtime,
      Path folder,
      List<Integer> gpus,
      GpuWorker size,
      Optional<String> locals,
      Console console) {
    List<Worker> workers =
        gpus.stream()
            .map(
                gpu ->
                    new Worker(
                        List.of(),
                        HERE,
                        OptionalInt.of(gpu),
                        size.cores(),
                        size.memoryGiB(),
                        localFolders(folder.resolve("local"), locals)))
            .toList();
    return start(runtime, folder, HERE, workers, console);
  }

  /** Returns the GPU of each worker if they take turns with GPUs, the first of which is 0. */
  public static List<Integer> turns(int workers, int gpus) {
    return IntStream.range(0, workers).map(worker -> worker % gpus).boxed().toList();
  }

  /**
   * Returns the environment of a worker, whose local folders win over {@code spark.local.dir} of
   * applications. Spark's default is {@code /tmp}, which can be too small for the map outputs of
   * sort shuffle. Workers delete what they have created there when they end.
   *
   * @param own the folder to use
   * @param locals the user's folders, separated by commas, which win
   */
  static Map<String, String> localFolders(Path own, Optional<String> locals) {
    return Map.of("SPARK_LOCAL_DIRS", locals.orElseGet(own::toString));
  }

  /** Returns the master's address. */
  public SparkMaster master() {
    return new SparkMaster(url);
  }

  /** Returns the live executors. */
  public List<ProcessHandle> executors() {
    // Executors are the only children of workers.
    return workers.stream()
        .flatMap(worker -> worker.handle().children())
        .filter(ProcessHandle::isAlive)
        .toList();
  }

  /** Returns the CPU time of all living executors since their start, with a precision of 10 ms. */
  Duration cpuTime() {
    return executors().stream()
        .map(executor -> executor.info().totalCpuDuration())
        .flatMap(Optional::stream)
        .reduce(Duration.ZERO, Duration::plus);
  }

  /** Ends all processes, last ones first. */
  @Override
  public void close() {
    processes.reversed().forEach(ChildProcess::close);
    processes.clear();
  }

  private void start(String address, List<Worker> all) throws IOException {
    List<String> line = java(List.of(), "org.apache.spark.deploy.master.Master");
    line.addAll(List.of("--host", address, "--port", "0", "--webui-port", "0"));
    url = await(run("master", line, address, Map.of()), "master", URL).group(1);
    workers = new ArrayList<>();
    for (Worker worker : all) {
      workers.add(start(worker, workers.size()));
    }
    for (int i = 0; i < workers.size(); i++) {
      await(workers.get(i), "worker" + i, REGISTERED);
    }
  }

  private ChildProcess start(Worker worker, int number) throws IOException {
    List<String> options = new ArrayList<>();
    if (worker.gpu().isPresent()) {
      options.add("-Dspark.worker.resource.gpu.amount=1");
      options.add(
          "-Dspark.worker.resource.gpu.discoveryScript=" + discovery(worker.gpu().getAsInt()));
    }
    List<String> line = new ArrayList<>(worker.prefix());
    line.addAll(java(options, "org.apache.spark.deploy.worker.Worker"));
    line.addAll(List.of("--host", worker.address(), "--webui-port", "0"));
    line.addAll(List.of("--cores", Integer.toString(worker.cores())));
    line.addAll(List.of("--memory", worker.memoryGiB() + "g"));
    line.addAll(List.of("--work-dir", folder.resolve("work" + number).toString(), url));
    return run("worker" + number, line, worker.address(), worker.environment());
  }

  /** Writes a script per GPU; with one for all, each worker would offer all GPUs. */
  private Path discovery(int gpu) throws IOException {
    Path script = folder.resolve("gpu" + gpu + ".sh");
    Files.writeString(
        script, "#!/bin/sh\necho '{\"name\":\"gpu\",\"addresses\":[\"%d\"]}'\n".formatted(gpu));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    return script;
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

  private ChildProcess run(
      String name, List<String> line, String address, Map<String, String> more) {
    Map<String, String> environment = new HashMap<>(more);
    environment.put("JAVA_HOME", SparkRuntime.javaHome().toString());
    environment.put("SPARK_HOME", folder.toString());
    environment.put("SPARK_SCALA_VERSION", "2.13");
    environment.put("SPARK_LOCAL_IP", address);
    ChildProcess process =
        ChildProcess.of(line)
            .environment(environment)
            .folder(folder)
            .log(folder.resolve(name + ".log"))
            .input("")
            .timeToEnd(TIME_TO_END)
            .start();
    processes.add(process);
    return process;
  }

  private static Matcher await(ChildProcess process, String name, Pattern sign) {
    return process
        .findOutput(sign, TIME_TO_START)
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
