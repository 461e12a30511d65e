// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.cli.CliException;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.config.SymShuffleConfigException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.ZipFile;
import picocli.CommandLine.Option;

/** The options for where and how applications run. */
public final class ClusterOptions {
  private static final String DEFAULT_MASTER = "local-cluster[2,1,2048]";
  private static final String COMET_PLUGIN = "org/apache/spark/CometPlugin.class";

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
          "Shuffle managers to compare, baseline first: sort, sort-zstd, sort-nocompress, sort-shm"
              + " and sort-shm-nocompress (their files in /dev/shm), symshuffle,"
              + " symshuffle-nocompress (without compression between hosts), comet (with --comet);"
              + " default"
              + " ${DEFAULT-VALUE}. With --rapids:"
              + " rapids-nvidia-profile (RAPIDS' own as NVIDIA's engineers set it, the baseline),"
              + " rapids-nvidia-profile-skipmerge (with host memory instead of files),"
              + " rapids-multithreaded (with its defaults), rapids-multithreaded-zstd, rapids-ucx"
              + " (needs UCX in a folder of LD_LIBRARY_PATH or of the system),"
              + " rapids (over Spark's sort shuffle), rapids-symshuffle,"
              + " rapids-symshuffle-no-row-checksums (without Spark's row checksums).")
  private List<String> managers;

  private final List<String> defaults;

  @Option(
      names = "--comet",
      paramLabel = "JAR",
      description =
          "Jar of DataFusion Comet for this Spark version, for the manager comet. Its executors get"
              + " 1 GiB outside of their heaps; --conf spark.memory.offHeap.size=SIZE changes"
              + " that.")
  private Path comet;

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
    this.managers = List.of(managers);
    this.defaults = this.managers;
  }

  /**
   * Checks that the chosen managers can have the local folders that they need.
   *
   * @param free whether each application has the local folders of its choice
   */
  void checkLocalFolders(boolean free) {
    managers().stream()
        .filter(manager -> !free && manager.setsLocalFolder())
        .findFirst()
        .ifPresent(
            manager -> {
              throw CliException.wrongUsage(
                  manager.label()
                      + " works with a local master or --hosts only, because the workers of another"
                      + " cluster choose their executors' local folders. Use sort instead.");
            });
  }

  /**
   * Checks the settings of SymShuffle, which an application would refuse when it starts.
   *
   * @throws CliException if a key is unknown or a value is not allowed
   */
  public void checkSettings(List<ManagerChoice> choices) {
    for (ManagerChoice choice : choices) {
      if (choice.needsPlugin()) {
        Map<String, String> all = new LinkedHashMap<>(settings);
        all.putAll(choice.settings());
        try {
          ConfigReader.read(all);
        } catch (SymShuffleConfigException e) {
          throw CliException.wrongUsage("--conf: " + String.join("\n  ", e.problems()));
        }
      }
    }
  }

  /**
   * Checks that Comet has its jar.
   *
   * @throws CliException if there is no such jar, or no application needs it
   */
  void checkComet(List<ManagerChoice> choices) {
    boolean needed = choices.stream().anyMatch(ManagerChoice::needsComet);
    CliException.checkEffect("--comet", comet, needed, "--managers ...,comet");
    if (!needed) {
      return;
    }
    if (comet == null) {
      throw CliException.wrongUsage(
          "comet needs its jar: add --comet comet-spark-spark<Spark version>_2.13-<version>.jar.");
    }
    try (ZipFile jar = new ZipFile(comet.toFile())) {
      if (jar.getEntry(COMET_PLUGIN) == null) {
        throw CliException.wrongUsage(
            "--comet is %s, which does not contain %s.".formatted(comet, COMET_PLUGIN));
      }
    } catch (IOException e) {
      throw CliException.wrongUsage(
          "--comet is %s, which cannot be read as a jar: %s.".formatted(comet, e.getMessage()));
    }
  }

  /** Returns whether the user has chosen the Spark master. */
  boolean hasMaster() {
    return master != null;
  }

  /** Returns the Spark master. */
  public SparkMaster master() {
    return new SparkMaster(master == null ? DEFAULT_MASTER : master);
  }

  /** Returns the managers to compare, these if the user names none. */
  @SuppressWarnings("ReferenceEquality") // the user may name those that are the default elsewhere
  List<ManagerChoice> managers(List<ManagerChoice> otherwise) {
    return managers == defaults ? otherwise : ManagerChoice.named(managers);
  }

  List<ManagerChoice> managers() {
    return ManagerChoice.named(managers);
  }

  /** Returns the time limit of a run and of the start of an application. */
  public Duration limit() {
    if (limitSeconds < 1 || limitSeconds > 1_000_000) {
      throw CliException.wrongUsage(
          "--limit is %d; it must be from 1 to 1000000 seconds.".formatted(limitSeconds));
    }
    return Duration.ofSeconds(limitSeconds);
  }

  /** Returns the Spark settings of the user. */
  public Map<String, String> settings() {
    return Map.copyOf(settings);
  }

  /** Returns the user's parents of the executors' local folders, separated by commas. */
  public Optional<String> localFolders() {
    return Optional.ofNullable(settings.get("spark.local.dir"));
  }

  /** The same for the executors of a manager that may set them itself. */
  Optional<String> localFolders(ManagerChoice choice) {
    return Optional.ofNullable(choice.settings().get("spark.local.dir")).or(this::localFolders);
  }

  /**
   * Returns the application of a manager.
   *
   * @param settings what the benchmark and the cluster need; settings of the user override them
   * @param jars further jars that it needs
   * @param folder the parent of the application's folder
   */
  ApplicationSpec application(
      ManagerChoice choice,
      SparkMaster where,
      Map<String, String> settings,
      List<Path> jars,
      Path folder) {
    Map<String, String> all = new LinkedHashMap<>(settings);
    List<Path> moreJars = new ArrayList<>(jars);
    if (choice.needsComet()) {
      all.put("spark.memory.offHeap.size", "1g");
      moreJars.add(comet.toAbsolutePath());
    }
    all.putAll(this.settings);
    all.putAll(choice.settings());
    where.executor(all).forEach(setting -> all.putIfAbsent(setting.key(), setting.value()));
    boolean onGpus = all.containsKey("spark.executor.resource.gpu.amount");
    return new ApplicationSpec(
        choice.label(),
        where,
        onGpus && driverMemory == null ? "4g" : memory(where),
        all,
        choice.needsPlugin(),
        moreJars,
        folder.resolve(choice.label()));
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
