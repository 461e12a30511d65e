// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.process;

import static java.util.Objects.requireNonNull;

import io.symshuffle.benchmarks.launch.SharedClasses;
import io.symshuffle.benchmarks.launch.WorkerCluster;
import io.symshuffle.benchmarks.launch.WorkerCluster.Worker;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.launcher.JavaModuleOptions;

/**
 * A Spark installation for tests: a folder {@code jars} with links to Spark's jars on the test's
 * class path.
 */
public record SparkHome(Path folder) {
  /** Spark's setting for the IDs of applications. */
  public static final String ID_PATTERN = "spark.deploy.appIdPattern";

  private static final AtomicInteger MASTERS = new AtomicInteger();

  /** Returns a new installation without our jar. */
  public static SparkHome create(Path folder) {
    return create(folder, List.of());
  }

  /**
   * Returns a new installation with additional jars.
   *
   * @param folder created if missing
   * @param more jars in addition to Spark's
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
      throw new UncheckedIOException("creating a Spark home in " + folder, e);
    }
  }

  /**
   * Returns the folder named by this JVM's environment variable {@code SPARK_HOME}.
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

  /**
   * Returns an {@link #ID_PATTERN} for one master: each numbers the applications of a second from
   * 0, and several masters run at a time.
   */
  public static String idPattern() {
    return "app-%s-%04d-" + ProcessHandle.current().pid() + "-" + MASTERS.incrementAndGet();
  }

  /** Returns the folder with the jars. */
  public Path jars() {
    return folder.resolve("jars");
  }

  /** Returns the environment of Spark's processes. */
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
   * Returns the command line for a main class of Spark, up to and including the class path.
   *
   * @param memoryMb heap of the JVM in MiB
   */
  public List<String> java(int memoryMb) {
    return java(Path.of(System.getProperty("java.home")), SharedClasses.options(), memoryMb);
  }

  /**
   * Returns the same for another Java runtime.
   *
   * @param memoryMb heap of the JVM in MiB
   */
  public List<String> java(Path javaHome, int memoryMb) {
    return java(javaHome, List.of(), memoryMb);
  }

  private List<String> java(Path javaHome, List<String> options, int memoryMb) {
    List<String> command = new ArrayList<>();
    command.add(javaHome.resolve("bin/java").toString());
    command.add("-Xmx%dm".formatted(memoryMb));
    command.add("-D%s=%s".formatted(ID_PATTERN, idPattern()));
    Collections.addAll(command, JavaModuleOptions.defaultModuleOptionArray());
    command.addAll(options);
    Collections.addAll(command, "-cp", Jars.join(Jars.sharedFirst()) + ":" + jars() + "/*");
    return command;
  }

  /**
   * Returns a process with the environment of this installation and no other Spark variables.
   *
   * @param command program and arguments
   */
  public ChildProcess.Builder process(List<String> command) {
    return ChildProcess.of(command).withoutEnvironment("SPARK_").environment(environment());
  }

  /**
   * Starts a standalone cluster that uses this installation.
   *
   * @param logs existing folder for logs and the workers' folders
   * @param prefix command that runs the master's command; empty to run it on this machine
   * @param address where the master listens
   */
  public WorkerCluster cluster(
      Path logs, List<String> prefix, String address, List<Worker> workers) {
    return WorkerCluster.start(java(512), folder, logs, prefix, address, workers);
  }

  private static void link(Path link, Path target) throws IOException {
    try {
      Files.createSymbolicLink(link, target);
    } catch (FileAlreadyExistsException ignored) {
      // The same jar: the class path has each name once.
    }
  }
}
