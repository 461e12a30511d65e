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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.launcher.JavaModuleOptions;

/**
 * A standalone Spark cluster on this machine for one application: a master, and one worker per GPU.
 * Several clusters can share the GPUs, so that one run can compare their applications.
 */
public final class GpuCluster implements AutoCloseable {
  private static final Duration TIME_TO_START = Duration.ofSeconds(60);
  private static final Pattern URL = Pattern.compile("Starting Spark master at (spark://\\S+)");
  private static final Pattern REGISTERED = Pattern.compile("Successfully registered with master");

  private final SparkRuntime runtime;
  private final Path folder;
  private final List<ChildProcess> processes = new ArrayList<>();
  private String url;

  private GpuCluster(SparkRuntime runtime, Path folder) {
    this.runtime = runtime;
    this.folder = folder;
  }

  /**
   * Starts the processes and waits until all workers are registered.
   *
   * @param folder for logs and the workers' folders; created, or replaced if it exists
   * @param gpus number of GPUs; the first one has number 0
   * @param size cores and memory of each worker
   * @param console says what is being waited for
   * @throws CliException if a process does not start within a minute; all are ended then
   */
  public static GpuCluster start(
      SparkRuntime runtime, Path folder, int gpus, GpuWorker size, Console console) {
    GpuCluster cluster = new GpuCluster(runtime, folder);
    Waiting waiting = console.waiting(() -> "a Spark cluster to start in " + folder);
    try {
      Folders.delete(folder);
      Files.createDirectories(folder);
      Files.createSymbolicLink(folder.resolve("jars"), runtime.sparkJars());
      cluster.start(gpus, size);
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

  /** Returns the master's address. */
  public SparkMaster master() {
    return new SparkMaster(url);
  }

  @Override
  public void close() {
    processes.reversed().forEach(ChildProcess::close);
    processes.clear();
  }

  private void start(int gpus, GpuWorker size) throws IOException {
    List<String> master = java("org.apache.spark.deploy.master.Master");
    master.addAll(List.of("--host", "127.0.0.1", "--port", "0", "--webui-port", "0"));
    url = await(run("master", master), "master", URL).group(1);
    List<ChildProcess> workers = new ArrayList<>();
    for (int gpu = 0; gpu < gpus; gpu++) {
      workers.add(run("worker" + gpu, worker(gpu, size)));
    }
    for (int gpu = 0; gpu < gpus; gpu++) {
      await(workers.get(gpu), "worker" + gpu, REGISTERED);
    }
  }

  private List<String> worker(int gpu, GpuWorker size) throws IOException {
    List<String> line =
        java(
            "-Dspark.worker.resource.gpu.amount=1",
            "-Dspark.worker.resource.gpu.discoveryScript=" + discovery(gpu),
            "org.apache.spark.deploy.worker.Worker");
    line.addAll(List.of("--host", "127.0.0.1", "--webui-port", "0"));
    line.addAll(List.of("--cores", Integer.toString(size.cores())));
    line.addAll(List.of("--memory", size.memoryGiB() + "g"));
    line.addAll(List.of("--work-dir", folder.resolve("work" + gpu).toString(), url));
    return line;
  }

  /** Writes a script per worker; with a shared one, each worker would offer all GPUs. */
  private Path discovery(int gpu) throws IOException {
    Path script = folder.resolve("gpu" + gpu + ".sh");
    Files.writeString(
        script, "#!/bin/sh\necho '{\"name\":\"gpu\",\"addresses\":[\"%d\"]}'\n".formatted(gpu));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    return script;
  }

  private List<String> java(String... arguments) {
    List<String> line = new ArrayList<>();
    line.add(SparkRuntime.javaHome().resolve("bin/java").toString());
    line.add("-Xmx512m");
    line.addAll(Arrays.asList(JavaModuleOptions.defaultModuleOptionArray()));
    line.addAll(List.of("-cp", runtime.sparkJars() + "/*"));
    line.addAll(List.of(arguments));
    return line;
  }

  private ChildProcess run(String name, List<String> line) throws IOException {
    Map<String, String> environment =
        Map.of(
            "JAVA_HOME",
            SparkRuntime.javaHome().toString(),
            "SPARK_HOME",
            folder.toString(),
            "SPARK_SCALA_VERSION",
            "2.13",
            "SPARK_LOCAL_IP",
            "127.0.0.1");
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
