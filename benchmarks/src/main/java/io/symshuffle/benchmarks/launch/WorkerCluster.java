// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.Console.Waiting;
import io.symshuffle.cli.CliException;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A standalone Spark cluster on this machine without Spark's shell scripts: a master, and workers
 * here or on {@link Hosts}. Several clusters, and several workers, can share a GPU.
 */
public final class WorkerCluster implements AutoCloseable {
  /** Where this machine's processes reach each other. */
  public static final String HERE = "127.0.0.1";

  /**
   * The environment variable with the address at which Celeborn's services and its clients in
   * drivers and executors listen. They search for one without it, and may choose one that others do
   * not reach.
   */
  static final String CELEBORN_IP = "CELEBORN_LOCAL_IP";

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

  private final List<String> java;
  private final Path home;
  private final Path folder;
  private final ServiceProcesses processes;
  private final List<Worker> specs;
  private final List<ChildProcess> workers = new ArrayList<>();
  private String url;

  private WorkerCluster(List<String> java, Path home, Path folder, List<Worker> specs) {
    this.java = java;
    this.home = home;
    this.folder = folder;
    this.specs = specs;
    this.processes = new ServiceProcesses(folder, "Spark's");
  }

  /**
   * Starts the processes and waits until all workers are registered.
   *
   * @param folder for logs and the workers' folders; created, or replaced if it exists
   * @param address where the master listens
   * @throws CliException if a process does not start within three minutes; all are ended then
   */
  public static WorkerCluster start(
      SparkRuntime runtime, Path folder, String address, List<Worker> workers, Console console) {
    Waiting waiting = console.waiting("a Spark cluster to start in " + folder);
    try {
      Folders.delete(folder);
      Files.createDirectories(folder);
      Files.createSymbolicLink(folder.resolve("jars"), runtime.sparkJars());
      List<String> java = ServiceProcesses.java("-Xmx512m");
      java.addAll(List.of("-cp", runtime.sparkJars() + "/*"));
      return start(java, folder, folder, List.of(), address, workers);
    } catch (IOException e) {
      throw cannotStart(folder, e);
    } finally {
      waiting.close();
    }
  }

  /**
   * As above, in an existing folder and with an installation of Spark.
   *
   * @param java command that runs a main class of Spark
   * @param home the installation
   * @param prefix command that runs the master's command; empty to run it on this machine
   */
  public static WorkerCluster start(
      List<String> java,
      Path home,
      Path folder,
      List<String> prefix,
      String address,
      List<Worker> workers) {
    WorkerCluster cluster = new WorkerCluster(java, home, folder, List.copyOf(workers));
    try {
      cluster.start(prefix, address);
      return cluster;
    } catch (IOException | UncheckedIOException e) {
      cluster.close();
      throw cannotStart(folder, e);
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private static CliException cannotStart(Path folder, Exception e) {
    return new CliException("Cannot start a Spark cluster in " + folder + ": " + e, e);
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

  /** Ends all processes, last ones first. */
  @Override
  public void close() {
    processes.close();
  }

  /** Returns the process of a worker, from which executors descend. */
  public ProcessHandle worker(int number) {
    return workers.get(number).handle();
  }

  /** Returns the folder in which a worker keeps the logs of its executors, by application ID. */
  public static Path workFolder(Path folder, int worker) {
    return folder.resolve("work" + worker);
  }

  /** Kills a worker and its executors, which cannot clean up. */
  public void killWorker(int number) {
    Stream.concat(Stream.of(worker(number)), worker(number).descendants())
        .toList()
        .forEach(ProcessHandle::destroyForcibly);
    workers.get(number).close();
  }

  /** Starts a worker again that has ended, and waits until it is registered. */
  public void restartWorker(int number) throws IOException {
    workers.set(number, start(specs.get(number), number));
    processes.await(workers.get(number), "worker" + number, REGISTERED);
  }

  private void start(List<String> prefix, String address) throws IOException {
    List<String> line = new ArrayList<>(prefix);
    line.addAll(java);
    line.addAll(List.of("org.apache.spark.deploy.master.Master", "--host", address));
    line.addAll(List.of("--port", "0", "--webui-port", "0"));
    url = processes.await(run("master", line, address, Map.of()), "master", URL).group(1);
    for (Worker worker : specs) {
      workers.add(start(worker, workers.size()));
    }
    for (int i = 0; i < workers.size(); i++) {
      processes.await(workers.get(i), "worker" + i, REGISTERED);
    }
  }

  private ChildProcess start(Worker worker, int number) throws IOException {
    List<String> line = new ArrayList<>(worker.prefix());
    line.addAll(java);
    if (worker.gpu().isPresent()) {
      line.add("-Dspark.worker.resource.gpu.amount=1");
      line.add("-Dspark.worker.resource.gpu.discoveryScript=" + discovery(worker.gpu().getAsInt()));
    }
    line.addAll(List.of("org.apache.spark.deploy.worker.Worker", "--host", worker.address()));
    line.addAll(List.of("--webui-port", "0", "--cores", Integer.toString(worker.cores())));
    line.addAll(List.of("--memory", worker.memoryGiB() + "g"));
    line.addAll(List.of("--work-dir", workFolder(folder, number).toString(), url));
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

  private ChildProcess run(
      String name, List<String> line, String address, Map<String, String> more) {
    Map<String, String> environment = new HashMap<>(more);
    environment.put("JAVA_HOME", SparkRuntime.javaHome().toString());
    environment.put("SPARK_HOME", home.toString());
    environment.put("SPARK_SCALA_VERSION", "2.13");
    environment.put("SPARK_LOCAL_IP", address);
    // Executors inherit it.
    environment.put(CELEBORN_IP, address);
    return processes.start(name, line, environment);
  }
}
