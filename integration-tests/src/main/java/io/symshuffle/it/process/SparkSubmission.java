// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.process;

import io.symshuffle.process.ChildProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Starts an application as {@code spark-submit} does: in its own process or, in cluster mode on
 * YARN, from that process. Not reusable and not thread-safe; each setter returns this object.
 */
public final class SparkSubmission {
  /** Without this option, a process that has the tests on its class path logs to their file. */
  public static final String SPARKS_LOG =
      "-Dlog4j2.configurationFile=org/apache/spark/log4j2-defaults.properties";

  private final SparkHome home;
  private final Class<?> mainClass;
  private final NavigableMap<String, String> conf = new TreeMap<>();
  private final List<Path> jars = new ArrayList<>();
  private final List<String> arguments = new ArrayList<>();
  private final List<String> wrapper = new ArrayList<>();
  private String master = "local[2]";
  private Optional<Path> hadoop = Optional.empty();

  private SparkSubmission(SparkHome home, Class<?> mainClass) {
    this.home = home;
    this.mainClass = mainClass;
    conf.put("spark.ui.enabled", "false");
  }

  /**
   * Returns a submission of the main class, whose jar is the application's jar.
   *
   * @param home the installation that submits
   * @param mainClass with a main method
   */
  public static SparkSubmission of(SparkHome home, Class<?> mainClass) {
    return new SparkSubmission(home, mainClass);
  }

  /** Returns this, with {@code --master}; default: {@code local[2]}. */
  public SparkSubmission master(String url) {
    master = url;
    return this;
  }

  /**
   * Returns this, with {@code HADOOP_CONF_DIR}.
   *
   * @param configuration folder with Hadoop's configuration
   */
  public SparkSubmission hadoop(Path configuration) {
    hadoop = Optional.of(configuration);
    return this;
  }

  /**
   * Runs it as another user, who may read all files: the class path may be in a private folder.
   * Only root can do that.
   *
   * @param uid number of the user and of the group
   */
  public SparkSubmission user(int uid) {
    Collections.addAll(wrapper, "setpriv", "--reuid=" + uid, "--regid=" + uid, "--clear-groups");
    Collections.addAll(wrapper, "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search");
    return this;
  }

  /** Returns this, with {@code --conf key=value}. */
  public SparkSubmission conf(String key, String value) {
    conf.put(key, value);
    return this;
  }

  /** Returns this, with another jar in {@code --jars}. */
  public SparkSubmission jar(Path jar) {
    jars.add(jar);
    return this;
  }

  /**
   * Returns this, with arguments for the main class.
   *
   * @param more appended to earlier arguments
   */
  public SparkSubmission arguments(String... more) {
    Collections.addAll(arguments, more);
    return this;
  }

  /**
   * Starts it.
   *
   * @param folder for the log ({@code submit.log}) and the application's jar
   * @return the process of {@code spark-submit}: the driver's, unless that runs in the cluster
   */
  public ChildProcess start(Path folder) {
    if (!conf.getOrDefault("spark.submit.deployMode", "client").equals("cluster")) {
      conf.put("spark.driver.host", "127.0.0.1");
      conf.put("spark.driver.bindAddress", "127.0.0.1");
    }
    // As in bin/spark-submit, the JVM that runs the driver gets the driver's class path.
    List<String> command = new ArrayList<>(home.java(1024));
    command.add(1, SPARKS_LOG);
    hadoop.ifPresent(path -> extendClassPath(command, path.toString()));
    if (conf.containsKey("spark.driver.extraClassPath")) {
      extendClassPath(command, conf.get("spark.driver.extraClassPath"));
    }
    Collections.addAll(
        command,
        "org.apache.spark.deploy.SparkSubmit",
        "--master",
        master,
        "--class",
        mainClass.getName());
    conf.forEach((key, value) -> Collections.addAll(command, "--conf", key + "=" + value));
    if (!jars.isEmpty()) {
      Collections.addAll(
          command, "--jars", String.join(",", jars.stream().map(Path::toString).toList()));
    }
    command.add(Jars.holding(mainClass, folder).toString());
    command.addAll(arguments);
    ChildProcess.Builder process =
        home.process(command)
            .through(wrapper)
            .name("spark-submit " + mainClass.getSimpleName())
            .log(folder.resolve("submit.log"));
    hadoop.ifPresent(path -> process.environment(Map.of("HADOOP_CONF_DIR", path.toString())));
    return process.start();
  }

  private static void extendClassPath(List<String> command, String path) {
    command.set(command.size() - 1, command.getLast() + ":" + path);
  }
}
