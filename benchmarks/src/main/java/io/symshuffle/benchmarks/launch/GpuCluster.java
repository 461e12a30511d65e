// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.Waiting;
import io.symshuffle.cli.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A standalone Spark cluster on this machine for one application: a master, and one worker per
 * executor. Several clusters, and several workers, can share a GPU.
 */
public final class GpuCluster implements AutoCloseable {
  private static final String HOST = "127.0.0.1";

  private final Path folder;
  private final StandaloneProcesses processes;
  private final List<ChildProcess> workers = new ArrayList<>();
  private String url;

  private GpuCluster(SparkRuntime runtime, Path folder) {
    this.folder = folder;
    this.processes = new StandaloneProcesses(runtime, folder);
  }

  /**
   * Starts the processes and waits until all workers are registered.
   *
   * @param folder for logs and the workers' folders; created, or replaced if it exists
   * @param gpus CUDA's number of the GPU of each worker
   * @param size cores and memory of each worker
   * @param console says what is being waited for
   * @throws CliException if a process does not start within a minute; all are ended then
   */
  public static GpuCluster start(
      SparkRuntime runtime, Path folder, List<Integer> gpus, GpuWorker size, Console console) {
    return start(runtime, folder, gpus, size, Optional.empty(), console);
  }

  /**
   * The same with other local folders of the executors.
   *
   * @param locals parents of the local folders, separated by commas; by default in {@code folder}
   */
  static GpuCluster start(
      SparkRuntime runtime,
      Path folder,
      List<Integer> gpus,
      GpuWorker size,
      Optional<String> locals,
      Console console) {
    GpuCluster cluster = new GpuCluster(runtime, folder);
    Waiting waiting = console.waiting(() -> "a Spark cluster to start in " + folder);
    try {
      Folders.delete(folder);
      Files.createDirectories(folder);
      Files.createSymbolicLink(folder.resolve("jars"), runtime.sparkJars());
      cluster.start(gpus, size, environment(folder, locals));
      return cluster;
    } catch (IOException e) {
      cluster.close();
      throw new CliException("Cannot start a Spark cluster in " + folder + ": " + e, e);
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    } finally {
      waiting.close();
    }
  }

  /** Returns the GPU of each worker if they take turns with GPUs, the first of which is 0. */
  public static List<Integer> turns(int workers, int gpus) {
    return IntStream.range(0, workers).map(worker -> worker % gpus).boxed().toList();
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

  @Override
  public void close() {
    processes.close();
  }

  /**
   * Returns the environment of the workers, whose local folders win over {@code spark.local.dir} of
   * applications. Spark's default is {@code /tmp}, which can be too small for the map outputs of
   * sort shuffle. Workers delete what they have created there when they end.
   */
  static Map<String, String> environment(Path folder, Optional<String> locals) {
    return Map.of("SPARK_LOCAL_DIRS", locals.orElseGet(() -> folder.resolve("local").toString()));
  }

  private void start(List<Integer> gpus, GpuWorker size, Map<String, String> environment)
      throws IOException {
    url = processes.startMaster(HOST);
    for (int number = 0; number < gpus.size(); number++) {
      workers.add(
          processes.startWorker(
              number,
              List.of(),
              HOST,
              List.of(
                  "-Dspark.worker.resource.gpu.amount=1",
                  "-Dspark.worker.resource.gpu.discoveryScript=" + discovery(gpus.get(number))),
              size.cores(),
              size.memoryGiB(),
              url,
              environment));
    }
    processes.awaitRegistered(workers);
  }

  /** Writes a script per GPU; with one for all, each worker would offer all GPUs. */
  private Path discovery(int gpu) throws IOException {
    Path script = folder.resolve("gpu" + gpu + ".sh");
    Files.writeString(
        script, "#!/bin/sh\necho '{\"name\":\"gpu\",\"addresses\":[\"%d\"]}'\n".formatted(gpu));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    return script;
  }
}
