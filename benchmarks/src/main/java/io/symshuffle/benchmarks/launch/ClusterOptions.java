// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.cli.CliException;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.config.SymShuffleConfigException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options for where and how applications run. */
public final class ClusterOptions {
  private static final String DEFAULT_MASTER = "local-cluster[2,1,2048]";
  private static final String LOCAL_FOLDERS = "spark.local.dir";

  @Option(
      names = "--master",
      paramLabel = "URL",
      description =
          "Spark master; default "
              + DEFAULT_MASTER
              + ": 2 executors on this machine with 1 core and 2048 MiB each.")
  private String master;

  @Option(
      names = "--managers",
      paramLabel = "NAMES",
      split = ",",
      description =
          "What to compare, baseline first: names of files in conf/comparison, such as sort,"
              + " sort-zstd, symshuffle, comet or rapids-ucx, or paths of files with Spark settings"
              + " of your own, such as ./mine.conf. Default: sort and symshuffle; bench shuffle"
              + " adds sort-nocompress, --hosts adds sort-zstd, and --rapids compares"
              + " rapids-nvidia-profile (RAPIDS' own as NVIDIA's engineers set it) with"
              + " rapids-symshuffle.")
  private List<String> managers;

  private final List<String> defaults;

  @Option(
      names = "--comet",
      paramLabel = "JAR",
      description = "Jar of DataFusion Comet for this Spark version, for the manager comet.")
  private Path comet;

  @Option(
      names = "--celeborn",
      paramLabel = "DIR",
      description =
          "Folder with a build of Apache Celeborn, for the manager celeborn: jars/ with its master"
              + " and worker, which the command starts and ends, and its client for Spark 4. With"
              + " --hosts, each host has a worker.")
  private Path celeborn;

  @Option(
      names = "--driver-memory",
      paramLabel = "SIZE",
      description = "Heap of each driver; default 1g, or 3g with --master local.")
  private ByteSize driverMemory;

  @Option(
      names = "--conf",
      paramLabel = "KEY=VALUE",
      description =
          "A Spark setting for all applications; can be repeated. With a local master, on hosts and"
              + " on GPUs, spark.local.dir=DIR moves the executors' local folders, which need space"
              + " for all shuffles of a query; by default they are in the folder of --out.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--limit",
      paramLabel = "SECONDS",
      defaultValue = "600",
      description =
          "Time limit of a run and of the start of an application; default ${DEFAULT-VALUE}.")
  private long limitSeconds;

  /** Creates the options of a command that compares these managers by default. */
  public ClusterOptions(String... managers) {
    this.defaults = List.of(managers);
  }

  /**
   * Checks the settings of SymShuffle, which an application would refuse when it starts, and that
   * Comet has its jar.
   *
   * @throws CliException if a key is unknown, a value is not allowed, or there is no such jar
   */
  void check(List<Configuration> configurations) {
    for (Configuration configuration : configurations) {
      if (configuration.needsPlugin()) {
        try {
          ConfigReader.read(all(Map.of(), configuration));
        } catch (SymShuffleConfigException e) {
          throw CliException.wrongUsage("--conf: " + String.join("\n  ", e.problems()));
        }
      }
    }
    boolean needed = configurations.stream().anyMatch(Configuration::needsComet);
    CliException.checkEffect("--comet", comet, needed, "--managers ...,comet");
    if (needed && (comet == null || !Files.isRegularFile(comet))) {
      throw CliException.wrongUsage(
          "comet needs its jar: add --comet comet-spark-spark<Spark version>_2.13-<version>.jar.");
    }
    checkCeleborn(configurations);
  }

  /** Checks that Celeborn has its build if it is compared. */
  void checkCeleborn(List<Configuration> configurations) {
    boolean needed = configurations.stream().anyMatch(Configuration::needsCeleborn);
    CliException.checkEffect("--celeborn", celeborn, needed, "--managers ...,celeborn");
    if (needed && hasMaster() && !master().isLocal()) {
      throw CliException.wrongUsage(
          "celeborn runs on this machine or on --hosts N: omit --master, or use local-cluster.");
    }
    if (needed && celeborn == null) {
      throw CliException.wrongUsage(
          "celeborn needs a build: add --celeborn DIR, see docs/comparison.md.");
    }
    if (needed) {
      CelebornService.client(celeborn);
    }
  }

  /** Returns the folder with the build of Celeborn, which exists if a configuration needs it. */
  Optional<Path> celeborn() {
    return Optional.ofNullable(celeborn);
  }

  /** Settings of the user win over the others, and those of the configuration over both. */
  private Map<String, String> all(Map<String, String> others, Configuration configuration) {
    Map<String, String> all = new LinkedHashMap<>(others);
    all.putAll(settings);
    all.putAll(configuration.settings());
    return all;
  }

  /** Returns whether the user has chosen the Spark master. */
  boolean hasMaster() {
    return master != null;
  }

  /** Returns the Spark master. */
  public SparkMaster master() {
    return new SparkMaster(master == null ? DEFAULT_MASTER : master);
  }

  /** Returns the names or paths of what to compare; empty for the default. */
  Optional<List<String>> managers() {
    return Optional.ofNullable(managers);
  }

  /** Returns what this command compares by default. */
  List<String> defaults() {
    return defaults;
  }

  /** Returns the time limit of a run and of the start of an application. */
  public Duration limit() {
    CliException.checkRange("--limit", limitSeconds, 1, 1_000_000);
    return Duration.ofSeconds(limitSeconds);
  }

  /** Returns the Spark settings of the user. */
  public Map<String, String> settings() {
    return Map.copyOf(settings);
  }

  /**
   * Returns the parents of the executors' local folders, separated by commas: those of the
   * configuration or the user, if there are any.
   */
  Optional<String> localFolders(Configuration configuration) {
    return configuration.localFolders().or(() -> Optional.ofNullable(settings.get(LOCAL_FOLDERS)));
  }

  /**
   * Returns the application of a configuration.
   *
   * @param settings what the benchmark and the cluster need
   * @param jars further jars that it needs
   * @param folder the parent of the application's folder
   */
  ApplicationSpec application(
      Configuration configuration,
      SparkMaster where,
      Map<String, String> settings,
      List<Path> jars,
      Path folder) {
    Map<String, String> all = all(settings, configuration);
    List<Path> moreJars = new ArrayList<>(jars);
    if (configuration.needsComet()) {
      moreJars.add(comet.toAbsolutePath());
    }
    if (configuration.needsCeleborn()) {
      moreJars.add(CelebornService.client(celeborn).toAbsolutePath());
    }
    where.executor(all).forEach(setting -> all.putIfAbsent(setting.key(), setting.value()));
    boolean onGpus = all.containsKey("spark.executor.resource.gpu.amount");
    return new ApplicationSpec(
        configuration.name(),
        where,
        onGpus && driverMemory == null ? "4g" : memory(where),
        all,
        configuration.needsPlugin(),
        moreJars,
        folder.resolve(configuration.name()));
  }

  /** Returns an application with Spark's sort shuffle that generates data. */
  public ApplicationSpec generator(String name, Path folder) {
    SparkMaster where = master().isLocal() ? new SparkMaster("local[*]") : master();
    String memory = memory(where);
    if (driverMemory == null && where.isLocal()) {
      // Each task buffers up to 100 MB of the file that it writes.
      memory = Math.max(3, 1 + Runtime.getRuntime().availableProcessors() / 8) + "g";
    }
    return new ApplicationSpec(
        name, where, memory, Map.copyOf(settings), false, List.of(), folder.resolve(name));
  }

  private String memory(SparkMaster where) {
    if (driverMemory != null) {
      return driverMemory.toString();
    }
    return where.url().startsWith("local-cluster") || !where.isLocal() ? "1g" : "3g";
  }
}
