// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.cli.CliException;
import io.symshuffle.cuda.CudaDriver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of a comparison on GPUs, under the RAPIDS Accelerator or without it. */
public final class GpuOptions {
  @Option(
      names = "--rapids",
      paramLabel = "JAR",
      description =
          "Compare on the GPUs of this machine, under the RAPIDS Accelerator in this jar: its"
              + " default manager, its multi-threaded one and SymShuffle, each with an executor a"
              + " GPU.")
  private Path jar;

  @Option(
      names = "--gpus",
      paramLabel = "N",
      description =
          "How many GPUs; with --rapids default all. Without --rapids: compare Spark's own"
              + " operators, on CPUs, on an executor for each of so many GPUs: sort, symshuffle and"
              + " symshuffle-device.")
  private Integer gpus;

  @Option(
      names = "--gpu-cores",
      paramLabel = "N",
      description = "On GPUs: CPU cores of each executor; default the machine's by GPU.")
  private Integer cores;

  @Option(
      names = "--gpu-pool",
      paramLabel = "SIZE",
      defaultValue = "32g",
      description =
          "With --rapids: GPU memory of each application's pool on each GPU; default"
              + " ${DEFAULT-VALUE}.")
  private String pool;

  @Option(
      names = "--rapids-libs",
      paramLabel = "DIR",
      description = "With --rapids: folder with its native libraries, if they are not in the jar.")
  private Path libraries;

  /** The options, all unset. */
  public GpuOptions() {}

  /** RAPIDS' jar; empty for a comparison without GPUs. */
  public Optional<Path> jar() {
    return Optional.ofNullable(jar).map(Path::toAbsolutePath);
  }

  /**
   * Refuses wrong values before anything is started.
   *
   * @throws CliException if there is one
   */
  public void check() {
    if (gpus != null && gpus < 1) {
      throw CliException.wrongUsage("--gpus is 1 or more, not " + gpus + ".");
    }
    if (jar == null) {
      return;
    }
    if (!Files.isRegularFile(jar)) {
      throw CliException.wrongUsage("There is no file " + jar + ".");
    }
    if (count() < 1) {
      throw new CliException("There is no GPU here, and --rapids needs one.");
    }
  }

  /** Whether executors get GPUs. */
  public boolean areUsed() {
    return jar != null || gpus != null;
  }

  /** Number of GPUs. */
  public int count() {
    if (gpus != null) {
      return gpus;
    }
    return CudaDriver.system().absence().isPresent() ? 0 : CudaDriver.system().deviceCount();
  }

  /** What each executor gets. */
  public GpuWorker worker() {
    int processors = Runtime.getRuntime().availableProcessors();
    return new GpuWorker(cores != null ? cores : Math.max(1, processors / count()), 20);
  }

  /** Spark settings of every application on GPUs. */
  public Map<String, String> settings() {
    GpuWorker worker = worker();
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("spark.executor.cores", Integer.toString(worker.cores()));
    settings.put("spark.executor.memory", worker.memoryGiB() - 2 + "g");
    settings.put("spark.executor.instances", Integer.toString(count()));
    settings.put("spark.cores.max", Integer.toString(count() * worker.cores()));
    settings.put("spark.executor.resource.gpu.amount", "1");
    settings.put("spark.task.resource.gpu.amount", Double.toString(1.0 / worker.cores()));
    if (jar != null) {
      putRapids(settings);
    }
    return settings;
  }

  private void putRapids(Map<String, String> settings) {
    settings.put("spark.rapids.sql.concurrentGpuTasks", "4");
    settings.put("spark.rapids.memory.pinnedPool.size", "8g");
    settings.put("spark.rapids.memory.gpu.allocSize", pool);
    settings.put("spark.rapids.sql.explain", "NONE");
    if (libraries != null) {
      String option = "-Dai.rapids.cudf.lib-native-dir=" + libraries.toAbsolutePath();
      settings.put("spark.executor.extraJavaOptions", option);
      settings.put("spark.driver.extraJavaOptions", option);
    }
  }
}
