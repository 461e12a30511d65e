// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.launch.ApplicationSpec;
import io.symshuffle.benchmarks.launch.Configuration;
import io.symshuffle.benchmarks.launch.GpuOptions;
import io.symshuffle.benchmarks.launch.MemoryGroup;
import io.symshuffle.benchmarks.launch.SparkMaster;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.launch.WorkerCluster;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.plugin.config.ByteSize;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Executors of standalone clusters with tables of the RAPIDS Accelerator in device heaps of CUDA
 * memory. Executors take turns with the GPUs, and share them if there are more executors.
 */
final class GpuSite implements ChaosSite {
  /** The reference needs seconds for each. */
  private static final int QUERIES = 14;

  /** With that many times the rows of a test on CPUs, reading tables takes long enough to hit. */
  private static final int TABLE_FACTOR = 500;

  /** RAPIDS' memory of an executor, so that several fit on a GPU. */
  private static final String POOL = "8g";

  private final SparkRuntime runtime;
  private final GpuOptions gpus;
  private final int executors;

  GpuSite(SparkRuntime runtime, GpuOptions gpus, int executors) {
    this.runtime = runtime;
    this.gpus = gpus;
    this.executors = executors;
  }

  @Override
  public String where() {
    return "standalone, %d executors on %s, %d cores each"
        .formatted(executors, gpus.text(), gpus.worker().cores());
  }

  @Override
  public ChaosRound round(long number) {
    return ChaosRound.onGpus(number);
  }

  @Override
  public List<String> queries(Random random) {
    return new ChaosQueries(random).poolOnGpus(QUERIES, TABLE_FACTOR);
  }

  @Override
  public ApplicationSpec reference(Path folder) {
    Map<String, String> settings = new LinkedHashMap<>(Map.of("spark.shuffle.manager", "sort"));
    settings.put("spark.sql.autoBroadcastJoinThreshold", "-1");
    return new ApplicationSpec(
        "sort", new SparkMaster("local[*]"), "4g", settings, false, List.of(), folder);
  }

  /** The library would also replace functions for the libraries of CUDA. */
  @Override
  public boolean mayFailCalls() {
    return false;
  }

  @Override
  public Target start(
      String name,
      Map<String, String> settings,
      Optional<MemoryGroup> group,
      Path folder,
      Console console) {
    List<Integer> numbers = WorkerCluster.turns(executors, gpus.count());
    Path local = folder.resolveSibling(name + "-cluster");
    WorkerCluster cluster =
        WorkerCluster.onGpus(runtime, local, numbers, gpus.worker(), Optional.empty(), console);
    try {
      ApplicationSpec spec =
          new ApplicationSpec(
              name, cluster.master(), "4g", settings(settings), true, jars(), folder);
      Application application = Application.start(spec, runtime, console);
      return new Target(application, cluster::executors, local, cluster::close);
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private Map<String, String> settings(Map<String, String> round) {
    Map<String, String> all = new LinkedHashMap<>(gpus.settings());
    all.put("spark.executor.instances", Integer.toString(executors));
    all.put("spark.cores.max", Integer.toString(executors * gpus.worker().cores()));
    all.put("spark.symshuffle.device.backend", "cuda");
    all.put("spark.rapids.memory.gpu.allocSize", gpus.pool().map(ByteSize::toString).orElse(POOL));
    all.put("spark.rapids.memory.pinnedPool.size", "2g");
    all.putAll(round);
    all.putAll(Configuration.named("rapids-symshuffle").settings());
    return all;
  }

  private List<Path> jars() {
    return gpus.jar().stream().toList();
  }

  @Override
  public Optional<String> objection(Application application) throws IOException {
    return GpuOptions.tablesAreOnHost(application)
        ? Optional.of("Tables did not stay on the GPUs; the log says why: " + application.log())
        : Optional.empty();
  }

  @Override
  public long gpuBytes() {
    return gpus.usedBytes();
  }
}
