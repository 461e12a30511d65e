// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.launch;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Who takes part in a comparison, and where: applications beside each other on CPUs, or under the
 * RAPIDS Accelerator, each on a cluster of its own over the same GPUs.
 *
 * @param cluster the options that say where and how
 * @param gpus the options for GPUs
 * @param settings Spark settings that the benchmark itself needs
 */
public record Lineup(ClusterOptions cluster, GpuOptions gpus, Map<String, String> settings) {
  /**
   * Refuses wrong options before anything is started.
   *
   * @throws io.symshuffle.plugin.cli.CliException if there is one
   */
  public void check() {
    cluster.check();
    gpus.check();
  }

  /** What is compared, the one to beat first. */
  public List<ManagerChoice> choices() {
    return onGpus() ? cluster.rapidsManagers() : cluster.managers();
  }

  /** Their names. */
  public List<String> labels() {
    return choices().stream().map(ManagerChoice::label).toList();
  }

  /** Where they run, for reports. */
  public String where() {
    return onGpus()
        ? "standalone, %d GPUs, %d cores each".formatted(gpus.count(), gpus.worker().cores())
        : cluster.master().url();
  }

  /**
   * Starts them.
   *
   * @param logs the parent of the applications' folders
   * @throws io.symshuffle.plugin.cli.CliException if one does not start; none is left then
   */
  public Fleet start(SparkRuntime runtime, Path logs) {
    List<ManagerChoice> choices = choices();
    if (!onGpus()) {
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

  private boolean onGpus() {
    return gpus.jar().isPresent();
  }
}
