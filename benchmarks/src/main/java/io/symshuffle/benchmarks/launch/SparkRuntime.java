// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.cli.CliException;
import io.trino.tpcds.Table;
import io.trino.tpch.TpchTable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The files that applications need: Spark's jars, our jar, and the jar of the benchmarks with the
 * libraries that generate data.
 *
 * @param sparkJars the folder {@code jars} of a Spark distribution
 * @param libraries additional jars of the application
 */
public record SparkRuntime(
    Path sparkJars, Path pluginJar, Path benchmarksJar, List<Path> libraries) {
  /** System property with the root of the source tree; {@code bin/symshuffle} sets it. */
  public static final String HOME = "symshuffle.home";

  /** System property with Spark's folder of jars; default: the one that the tree assembles. */
  public static final String SPARK_JARS = "symshuffle.spark.jars";

  /**
   * System property with the folder of the build in modules that depend on Spark, such as {@code
   * target/spark-4.1}; default {@code target}.
   */
  public static final String BUILD = "symshuffle.build";

  /** System property with our jar; default: the one that the tree builds. */
  public static final String PLUGIN_JAR = "symshuffle.jar";

  /**
   * Returns what {@code bin/symshuffle} built and assembled in its tree.
   *
   * @throws CliException if something is missing
   */
  public static SparkRuntime ofTree() {
    Path home = home();
    String sparkJars = System.getProperty(SPARK_JARS);
    return ofTree(
        home,
        sparkJars != null
            ? Path.of(sparkJars)
            : home.resolve("benchmarks")
                .resolve(System.getProperty(BUILD, "target"))
                .resolve("spark-runtime/jars"));
  }

  /** As above, with the root of the source tree and the folder of Spark's jars. */
  static SparkRuntime ofTree(Path home, Path sparkJars) {
    String build = System.getProperty(BUILD, "target");
    Path target = home.resolve("benchmarks").resolve(build);
    String pluginJar = System.getProperty(PLUGIN_JAR);
    return new SparkRuntime(
        existing(sparkJars),
        pluginJar != null
            ? existing(Path.of(pluginJar))
            : jar(home.resolve("plugin").resolve(build), "symshuffle-spark-*.jar"),
        jar(target, "symshuffle-benchmarks-*.jar"),
        List.of(jarOf(TpchTable.class), jarOf(Table.class)));
  }

  /**
   * Returns the root of the source tree.
   *
   * @throws CliException if the command was not started by {@code bin/symshuffle}
   */
  public static Path home() {
    String home = System.getProperty(HOME);
    if (home == null) {
      throw new CliException(
          "The system property " + HOME + " is not set: use bin/symshuffle to run this command.");
    }
    return Path.of(home).toAbsolutePath();
  }

  /** Returns the home of this Java, which applications and their executors also use. */
  static Path javaHome() {
    return Path.of(System.getProperty("java.home"));
  }

  private static Path jarOf(Class<?> type) {
    return Path.of(URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()));
  }

  private static Path jar(Path folder, String glob) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(existing(folder), glob)) {
      files.forEach(found::add);
    } catch (IOException e) {
      throw new CliException("Cannot read the folder " + folder + ": " + e.getMessage() + ".", e);
    }
    found.removeIf(path -> path.toString().matches(".*-(tests|sources|javadoc)\\.jar"));
    if (found.size() != 1) {
      throw new CliException(
          "Expected one file %s in %s, found %d: build with bin/symshuffle, or mvn clean package."
              .formatted(glob, folder, found.size()));
    }
    return found.getFirst();
  }

  private static Path existing(Path path) {
    if (!Files.exists(path)) {
      throw new CliException(
          path + " does not exist: run bin/symshuffle, or mvn package -DskipTests.");
    }
    return path.toAbsolutePath();
  }
}
