// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import io.symshuffle.cli.SparkDefaults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Spark settings to compare, from a file as Spark reads them: those of a shuffle manager, mostly.
 *
 * @param name the name of the file without {@code .conf}, on the command line and in reports
 */
public record Configuration(String name, Map<String, String> settings) {
  private static final String ENDING = ".conf";
  private static final String LOCAL_FOLDERS = "spark.local.dir";

  public Configuration {
    settings = Map.copyOf(settings);
  }

  /**
   * Reads configurations.
   *
   * @param files names of files in {@code conf/comparison} without {@code .conf}, or paths
   * @throws CliException if one does not exist or cannot be read, or two have the same name
   */
  static List<Configuration> of(List<String> files) {
    Path folder = SparkRuntime.home().resolve("conf/comparison");
    List<Configuration> all = files.stream().map(file -> of(file.strip(), folder)).toList();
    if (all.stream().map(Configuration::name).distinct().count() != all.size()) {
      throw CliException.wrongUsage(
          "--managers names a manager twice: " + String.join(",", files) + ".");
    }
    return all;
  }

  /**
   * Reads a configuration of {@code conf/comparison}.
   *
   * @param name of the file without {@code .conf}
   */
  public static Configuration named(String name) {
    return of(List.of(name)).getFirst();
  }

  private static Configuration of(String file, Path folder) {
    boolean isPath = file.contains("/") || file.endsWith(ENDING);
    Path path = isPath ? Path.of(file) : folder.resolve(file + ENDING);
    if (!isPath && !Files.exists(path)) {
      throw CliException.wrongUsage(
          "Unknown manager '%s'; choose from %s, or name a file with Spark settings."
              .formatted(file, String.join(", ", names(folder))));
    }
    String name = path.getFileName().toString().replaceFirst("\\.conf$", "");
    return new Configuration(name, SparkDefaults.read(path));
  }

  private static List<String> names(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(ENDING))
          .map(name -> name.substring(0, name.length() - ENDING.length()))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new CliException("Cannot read " + folder + ": " + Failures.reason(e) + ".", e);
    }
  }

  /** Returns whether it needs our jar. */
  public boolean needsPlugin() {
    return hasPlugin("io.symshuffle.SymShufflePlugin");
  }

  /** Returns whether its queries run on GPUs, which its executors need, with the jar of RAPIDS. */
  public boolean needsRapids() {
    return hasPlugin("com.nvidia.spark.SQLPlugin");
  }

  /** Returns whether it needs the jar of Comet. */
  public boolean needsComet() {
    return hasPlugin("org.apache.spark.CometPlugin");
  }

  /** Returns whether it needs Celeborn's client and service. */
  public boolean needsCeleborn() {
    return settings.getOrDefault("spark.shuffle.manager", "").contains(".celeborn.");
  }

  /** Returns whether its executors have heaps in GPU memory. */
  public boolean hasDeviceHeap() {
    return needsRapids() && needsPlugin();
  }

  /** Returns whether RAPIDS' messages between driver and executors need UCX. */
  boolean usesUcx() {
    return "UCX".equals(settings.get("spark.rapids.shuffle.mode"));
  }

  private boolean hasPlugin(String plugin) {
    return List.of(settings.getOrDefault("spark.plugins", "").split("\\s*,\\s*")).contains(plugin);
  }

  /**
   * Returns the parents of the executors' local folders, separated by commas, if it has its own.
   */
  Optional<String> localFolders() {
    return Optional.ofNullable(settings.get(LOCAL_FOLDERS));
  }
}
