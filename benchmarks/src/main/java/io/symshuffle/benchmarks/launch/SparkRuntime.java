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
 * What it takes to start Spark: its jars, our jar, the jar of the benchmarks with the libraries
 * that generate data.
 *
 * @param sparkJars the folder {@code jars} of a Spark distribution
 * @param pluginJar the jar that users get
 * @param benchmarksJar the application
 * @param libraries further jars that the application needs
 */
public record SparkRuntime(
    Path sparkJars, Path pluginJar, Path benchmarksJar, List<Path> libraries) {
  /** The root of the source tree; {@code bin/symshuffle} sets this and the others. */
  public static final String HOME = "symshuffle.home";

  /** Spark's folder of jars, if it is another than the one that the tree assembles. */
  public static final String SPARK_JARS = "symshuffle.spark.jars";

  /** Our jar, if it is another than the one that the tree builds. */
  public static final String PLUGIN_JAR = "symshuffle.jar";

  /**
   * What {@code bin/symshuffle} built and assembled in its tree.
   *
   * @throws CliException if something is missing
   */
  public static SparkRuntime ofTree() {
    Path home = home();
    Path target = home.resolve("benchmarks/target");
    String sparkJars = System.getProperty(SPARK_JARS);
    String pluginJar = System.getProperty(PLUGIN_JAR);
    return new SparkRuntime(
        existing(sparkJars != null ? Path.of(sparkJars) : target.resolve("spark-runtime/jars")),
        pluginJar != null
            ? existing(Path.of(pluginJar))
            : jar(home.resolve("plugin/target"), "symshuffle-spark-*.jar"),
        jar(target, "symshuffle-benchmarks-*.jar"),
        List.of(jarOf(TpchTable.class), jarOf(Table.class)));
  }

  /**
   * The root of the source tree.
   *
   * @throws CliException if the command was not started by {@code bin/symshuffle}
   */
  public static Path home() {
    String home = System.getProperty(HOME);
    if (home == null) {
      throw new CliException(
          "The system property " + HOME + " is not set: start this command by bin/symshuffle.");
    }
    return Path.of(home).toAbsolutePath();
  }

  /** The Java that runs this process; applications and their executors run on the same. */
  static Path javaHome() {
    return Path.of(System.getProperty("java.home"));
  }

  private static Path jarOf(Class<?> type) {
    return Path.of(URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()));
  }

  private static Path jar(Path folder, String glob) {
    List<Path> found =
        jars(folder, glob).stream()
            .filter(path -> !path.toString().matches(".*-(tests|sources|javadoc)\\.jar"))
            .toList();
    if (found.size() != 1) {
      throw new CliException(
          "There should be one file "
              + glob
              + " in "
              + folder
              + ", and there are "
              + found.size()
              + ": build with bin/symshuffle, or mvn clean package.");
    }
    return found.getFirst();
  }

  private static List<Path> jars(Path folder, String glob) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(existing(folder), glob)) {
      files.forEach(found::add);
    } catch (IOException e) {
      throw new CliException(
          "The folder " + folder + " cannot be read: " + e.getMessage() + ".", e);
    }
    return found;
  }

  private static Path existing(Path path) {
    if (!Files.exists(path)) {
      throw new CliException(
          path
              + " does not exist: bin/symshuffle builds it; or mvn -Pruntime package -DskipTests.");
    }
    return path.toAbsolutePath();
  }
}
