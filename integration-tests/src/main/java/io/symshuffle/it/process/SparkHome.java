// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.process;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.spark.launcher.JavaModuleOptions;

/**
 * A folder that Spark's processes take for an installation: {@code jars} with links to Spark's jars
 * of the test's class path.
 *
 * @param folder the installation
 */
public record SparkHome(Path folder) {

  /** {@return a new installation without our jar} */
  public static SparkHome create(Path folder) {
    return create(folder, List.of());
  }

  /**
   * {@return a new installation with more jars beside Spark's}
   *
   * @param folder made if missing
   * @param more jars beside Spark's
   */
  public static SparkHome create(Path folder, List<Path> more) {
    SparkHome home = new SparkHome(folder.toAbsolutePath().normalize());
    try {
      Files.createDirectories(home.jars());
      List<Path> jars = new ArrayList<>(Jars.spark());
      jars.addAll(more);
      for (Path jar : jars) {
        link(home.jars().resolve(jar.getFileName()), jar);
      }
      return home;
    } catch (IOException e) {
      throw new UncheckedIOException("making a Spark home in " + folder, e);
    }
  }

  /**
   * {@return the folder in the environment variable of this JVM}
   *
   * @throws NullPointerException if it is not set
   */
  public static Path ofEnvironment() {
    return Path.of(
        requireNonNull(
            System.getenv("SPARK_HOME"),
            "environment variable SPARK_HOME is not set: run the tests with Maven, or set it to a"
                + " folder with a jars folder in it"));
  }

  /** {@return the folder with the jars} */
  public Path jars() {
    return folder.resolve("jars");
  }

  /** {@return the environment of Spark's processes} */
  public Map<String, String> environment() {
    return Map.of(
        "SPARK_HOME",
        folder.toString(),
        "SPARK_SCALA_VERSION",
        "2.13",
        "SPARK_LOCAL_IP",
        "127.0.0.1",
        "JAVA_HOME",
        System.getProperty("java.home"));
  }

  /**
   * {@return the start of a command line for a main class of Spark: java, its flags, the class
   * path}
   *
   * @param memoryMb heap of the JVM in MiB
   */
  public List<String> java(int memoryMb) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx%dm".formatted(memoryMb));
    Collections.addAll(command, JavaModuleOptions.defaultModuleOptionArray());
    Collections.addAll(command, "-cp", jars() + "/*");
    return command;
  }

  private static void link(Path link, Path target) throws IOException {
    try {
      Files.createSymbolicLink(link, target);
    } catch (FileAlreadyExistsException _) {
      // Two versions of one name can't be: the class path has it once.
    }
  }
}
