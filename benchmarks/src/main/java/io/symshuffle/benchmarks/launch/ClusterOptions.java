// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.cli.CliException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options that say where and how applications run. */
public final class ClusterOptions {
  @Option(
      names = "--master",
      paramLabel = "URL",
      defaultValue = "local-cluster[2,1,2048]",
      description =
          "Where Spark runs; default ${DEFAULT-VALUE}: 2 executors on this machine with 1 core and"
              + " 2048 MiB each.")
  private String master;

  @Option(
      names = "--managers",
      paramLabel = "NAMES",
      split = ",",
      description =
          "What is compared, the one to beat first: sort, sort-nocompress, symshuffle; default"
              + " ${DEFAULT-VALUE}; with --gpus: symshuffle-device, too; with --rapids: rapids,"
              + " rapids-multithreaded, rapids-symshuffle.")
  private List<String> managers;

  private final List<String> usual;

  @Option(
      names = "--driver-memory",
      paramLabel = "SIZE",
      description = "Heap of each driver; default 1g, with --master local 3g.")
  private String driverMemory;

  @Option(
      names = "--conf",
      paramLabel = "KEY=VALUE",
      description = "A Spark setting for all of them; may come several times.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--limit",
      paramLabel = "SECONDS",
      defaultValue = "600",
      description =
          "After this time a run, or the start of an application, counts as hanging; default"
              + " ${DEFAULT-VALUE}.")
  private long limitSeconds;

  /** The options of a command that compares these managers unless told otherwise. */
  public ClusterOptions(String... managers) {
    this.managers = List.of(managers);
    this.usual = this.managers;
  }

  /**
   * Refuses wrong values before anything is started.
   *
   * @throws CliException if there is one
   */
  public void check() {
    master();
    managers();
    limit();
  }

  /** Where Spark runs. */
  public SparkMaster master() {
    return new SparkMaster(master);
  }

  /** What is compared. */
  public List<ManagerChoice> managers() {
    return ManagerChoice.named(managers);
  }

  /** What is compared under RAPIDS. */
  public List<ManagerChoice> rapidsManagers() {
    return managers.equals(usual) ? ManagerChoice.underRapids() : ManagerChoice.named(managers);
  }

  /** What is compared on executors with GPUs, without RAPIDS. */
  public List<ManagerChoice> gpuManagers() {
    return managers.equals(usual) ? ManagerChoice.besideGpus() : ManagerChoice.named(managers);
  }

  /** How long to wait for a run, and for an application to start. */
  public Duration limit() {
    if (limitSeconds < 1 || limitSeconds > 1_000_000) {
      throw CliException.wrongUsage("--limit is a number of seconds from 1 to 1000000.");
    }
    return Duration.ofSeconds(limitSeconds);
  }

  /**
   * The application of one manager.
   *
   * @param choice which
   * @param settings what the benchmark itself needs; the user's settings go over them
   * @param folder the parent of the application's folder
   */
  public ApplicationSpec application(
      ManagerChoice choice, Map<String, String> settings, Path folder) {
    Map<String, String> all = new LinkedHashMap<>(settings);
    all.putAll(this.settings);
    all.putAll(choice.settings());
    return new ApplicationSpec(
        choice.label(),
        master(),
        memory(master()),
        all,
        choice.needsPlugin(),
        List.of(),
        folder.resolve(choice.label()));
  }

  /**
   * The application of one manager on executors with GPUs.
   *
   * @param gpus the options for GPUs
   * @param where its own cluster
   * @param settings what the benchmark itself needs; the user's settings go over them
   * @param folder the parent of the application's folder
   */
  public ApplicationSpec application(
      ManagerChoice choice,
      GpuOptions gpus,
      SparkMaster where,
      Map<String, String> settings,
      Path folder) {
    Map<String, String> all = new LinkedHashMap<>(settings);
    all.putAll(gpus.settings());
    all.putAll(this.settings);
    all.putAll(choice.settings());
    return new ApplicationSpec(
        choice.label(),
        where,
        driverMemory != null ? driverMemory : "4g",
        all,
        choice.needsPlugin(),
        gpus.jar().stream().toList(),
        folder.resolve(choice.label()));
  }

  /** An application with Spark's own shuffle that does one job, such as generating data. */
  public ApplicationSpec helper(String name, Path folder) {
    SparkMaster where = master().isLocal() ? new SparkMaster("local[*]") : master();
    return new ApplicationSpec(
        name, where, memory(where), Map.copyOf(settings), false, List.of(), folder.resolve(name));
  }

  private String memory(SparkMaster where) {
    if (driverMemory != null) {
      return driverMemory;
    }
    return where.url().startsWith("local-cluster") || !where.isLocal() ? "1g" : "3g";
  }
}
