// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.launch;

import io.symshuffle.cli.CliException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Who takes part in a comparison, and where: applications beside each other on CPUs, or under the
 * RAPIDS Accelerator or without it, each on a cluster of its own over the same GPUs.
 *
 * @param cluster the options that say where and how
 * @param gpus the options for GPUs
 * @param settings Spark settings that the benchmark itself needs
 */
public record Lineup(ClusterOptions cluster, GpuOptions gpus, Map<String, String> settings) {
  /**
   * Refuses wrong options before anything is started.
   *
   * @throws CliException if there is one
   */
  public void check() {
    cluster.check();
    gpus.check();
    if (!gpus.areUsed() && choices().contains(ManagerChoice.SYMSHUFFLE_DEVICE)) {
      throw CliException.wrongUsage(
          ManagerChoice.SYMSHUFFLE_DEVICE.label() + " needs executors with GPUs: add --gpus N.");
    }
  }

  /** What is compared, the one to beat first. */
  public List<ManagerChoice> choices() {
    if (!gpus.areUsed()) {
      return cluster.managers();
    }
    return gpus.jar().isPresent() ? cluster.rapidsManagers() : cluster.gpuManagers();
  }

  /** Their names. */
  public List<String> labels() {
    return choices().stream().map(ManagerChoice::label).toList();
  }

  /** Where they run, for reports. */
  public String where() {
    return gpus.areUsed()
        ? "standalone, %d GPUs, %d cores each".formatted(gpus.count(), gpus.worker().cores())
        : cluster.master().url();
  }

  /**
   * Starts them.
   *
   * @param logs the parent of the applications' folders
   * @throws CliException if one does not start; none is left then
   */
  public Fleet start(SparkRuntime runtime, Path logs) {
    List<ManagerChoice> choices = choices();
    if (!gpus.areUsed()) {
      return Fleet.start(
          choices.stream().map(choice -> cluster.application(choice, settings, logs)).toList(),
          runtime,
          cluster.limit());
    }
    return Fleet.startOnGpus(
        (number, master) -> cluster.application(choices.get(number), gpus, master, settings, logs),
        choices.size(),
        gpus,
        runtime,
        logs,
        cluster.limit());
  }
}
