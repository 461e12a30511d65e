// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.launch;

import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.cli.CliException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The applications of a comparison: side by side on CPUs, or each on its own cluster over the same
 * GPUs, with or without the RAPIDS Accelerator.
 *
 * @param cluster the options for where and how applications run
 * @param gpus the options for GPUs
 * @param settings Spark settings that the benchmark needs
 */
public record Lineup(ClusterOptions cluster, GpuOptions gpus, Map<String, String> settings) {
  /**
   * Checks the options, and that this machine has the GPUs, before anything is started.
   *
   * @throws CliException if one is invalid, or there are too few GPUs
   */
  public void check() {
    checkOptions();
    gpus.checkMachine();
    gpus.memory(choices(), cluster.settings());
  }

  /** Checks the options. */
  void checkOptions() {
    cluster.check();
    gpus.checkValues();
    for (ManagerChoice choice : choices()) {
      if (choice.needsRapids() && gpus.jar().isEmpty()) {
        throw CliException.wrongUsage(choice.label() + " needs RAPIDS: add --rapids JAR.");
      }
    }
    if (gpus.areUsed()) {
      cluster.checkLocalFolders(false);
    }
    cluster.checkSettings(choices());
  }

  /** Returns the managers to compare, baseline first. */
  public List<ManagerChoice> choices() {
    return gpus.jar().isPresent() ? cluster.rapidsManagers() : cluster.managers();
  }

  /** Returns their names. */
  public List<String> labels() {
    return choices().stream().map(ManagerChoice::label).toList();
  }

  /** Describes where they run, for reports. */
  public String where() {
    return gpus.areUsed()
        ? "standalone, %s, %d cores each".formatted(gpus.text(), gpus.worker().cores())
        : cluster.master().url();
  }

  /**
   * Starts the applications.
   *
   * @param logs parent folder of the applications' folders
   * @param console says what is being waited for
   * @throws CliException if one does not start; all are ended then
   */
  public Fleet start(SparkRuntime runtime, Path logs, Console console) {
    List<ManagerChoice> choices = choices();
    if (!gpus.areUsed()) {
      return Fleet.start(
          choices.stream().map(choice -> cluster.application(choice, settings, logs)).toList(),
          runtime,
          cluster.limit(),
          console);
    }
    List<Map<String, String>> memory = gpus.memory(choices, cluster.settings());
    return Fleet.startOnGpus(
        (number, master) ->
            cluster.application(
                choices.get(number), gpus, master, merged(settings, memory.get(number)), logs),
        choices.size(),
        gpus,
        runtime,
        logs,
        cluster.localFolders(),
        cluster.limit(),
        console);
  }

  private static Map<String, String> merged(Map<String, String> one, Map<String, String> other) {
    Map<String, String> all = new LinkedHashMap<>(one);
    all.putAll(other);
    return all;
  }
}
