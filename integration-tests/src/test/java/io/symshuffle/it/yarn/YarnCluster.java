// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.yarn;

import io.symshuffle.it.process.Jars;
import io.symshuffle.it.process.SparkHome;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

/** YARN in a process of its own, with its configuration for clients. Not thread-safe. */
final class YarnCluster implements AutoCloseable {
  private static final Pattern READY = Pattern.compile("YARN is ready");
  private static final Pattern PORT = Pattern.compile("shuffle service at port ([0-9]+)");

  private final Path folder;
  private final SparkHome home;
  private final ChildProcess process;

  private YarnCluster(Path folder, SparkHome home, ChildProcess process) {
    this.folder = folder;
    this.home = home;
    this.process = process;
  }

  /**
   * Starts a resource manager and node managers.
   *
   * @param folder for everything that YARN writes
   * @param home of Spark, which has Hadoop's classes
   * @param nodes number of node managers, all of them with the name of this host
   * @param mebibytes that each of them offers to containers
   * @return the cluster, all node managers connected
   */
  static YarnCluster start(Path folder, SparkHome home, int nodes, int mebibytes)
      throws IOException {
    Files.createDirectories(folder);
    List<String> command = new ArrayList<>(home.java(512));
    String classPath = command.removeLast() + ":" + minicluster() + ":" + Jars.join(Jars.harness());
    command.set(command.size() - 1, "-Dtest.build.data=" + folder);
    Collections.addAll(
        command,
        "-cp",
        classPath,
        YarnMain.class.getName(),
        folder.toString(),
        Integer.toString(nodes),
        Integer.toString(mebibytes));
    ChildProcess process =
        home.process(command).name("YARN").folder(folder).log(folder.resolve("yarn.log")).start();
    try {
      process.awaitOutput(READY, Await.LIMIT);
    } catch (IllegalStateException e) {
      process.close();
      throw e;
    }
    return new YarnCluster(folder, home, process);
  }

  /** Returns the folder with {@code yarn-site.xml}, for clients. */
  Path configuration() {
    return folder.resolve("conf");
  }

  /** Returns what the daemons have printed. */
  String log() {
    return process.output();
  }

  /** Returns the port of the external shuffle service. */
  String shuffleServicePort() {
    return process.awaitOutput(PORT, Duration.ZERO).group(1);
  }

  /**
   * Waits until YARN has collected the log of an application that has ended: a node manager uploads
   * what its containers wrote after it has heard from the resource manager that the application has
   * ended, and clients do not wait for that.
   *
   * @param application its ID
   * @param text that the log contains when it is complete
   * @param limit how long to wait at most
   * @return what {@code yarn logs} printed last; without the text if the limit has passed
   */
  String awaitLogs(String application, Pattern text, Duration limit) {
    AtomicReference<String> logs = new AtomicReference<>("");
    Await.holdsWithin(
        limit,
        () -> {
          logs.set(logs(application));
          return text.matcher(logs.get()).find();
        });
    return logs.get();
  }

  private String logs(String application) {
    List<String> command = new ArrayList<>(home.java(256));
    command.add(command.removeLast() + ":" + minicluster() + ":" + configuration());
    Collections.addAll(
        command, "org.apache.hadoop.yarn.client.cli.LogsCLI", "-applicationId", application);
    return home.process(command)
        .name("yarn logs")
        .environment(Map.of("HADOOP_CONF_DIR", configuration().toString()))
        .run(Await.LIMIT)
        .output();
  }

  /** Kills the daemons and all containers. */
  @Override
  public void close() {
    process.close();
  }

  private static Path minicluster() {
    return Path.of(
        Objects.requireNonNull(
            System.getProperty("symshuffle.minicluster"),
            "system property symshuffle.minicluster is not set: run the tests with Maven"));
  }
}
