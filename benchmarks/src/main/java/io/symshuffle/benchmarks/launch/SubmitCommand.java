// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.benchmarks.application.BenchmarkApplication;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Command line and environment of spark-submit, without Spark's shell scripts. */
final class SubmitCommand {
  /** Options of the driver's JVM, which spark-submit's scripts would apply. */
  private static final String DRIVER_OPTIONS = "spark.driver.extraJavaOptions";

  private static final String DRIVER_HOST = "spark.driver.host";

  /** Quotes keep spaces together, as in Spark's scripts. */
  private static final Pattern WORD = Pattern.compile("(?:[^\\s\"]|\"[^\"]*\")+");

  private final ApplicationSpec spec;
  private final SparkRuntime runtime;

  SubmitCommand(ApplicationSpec spec, SparkRuntime runtime) {
    this.spec = spec;
    this.runtime = runtime;
  }

  /** Returns program and arguments for an application that appends its replies to this file. */
  List<String> line(Path replies) {
    List<String> line = ServiceProcesses.java("-Xmx" + spec.driverMemory());
    String options = spec.settings().getOrDefault(DRIVER_OPTIONS, "");
    WORD.matcher(options).results().map(word -> word.group().replace("\"", "")).forEach(line::add);
    line.addAll(List.of("-cp", runtime.sparkJars() + "/*", "org.apache.spark.deploy.SparkSubmit"));
    line.addAll(List.of("--master", spec.master().url(), "--deploy-mode", "client"));
    line.addAll(List.of("--name", spec.name(), "--jars", jars()));
    settings().forEach((key, value) -> line.addAll(List.of("--conf", key + "=" + value)));
    line.addAll(List.of("--class", BenchmarkApplication.class.getName()));
    line.addAll(List.of(runtime.benchmarksJar().toString(), replies.toString()));
    return line;
  }

  /** Returns variables to add to the environment. */
  Map<String, String> environment() {
    Map<String, String> environment = new TreeMap<>();
    environment.put("JAVA_HOME", SparkRuntime.javaHome().toString());
    if (spec.master().isLocal()) {
      // Executors of a local cluster start from SPARK_HOME/jars and write to SPARK_HOME/work.
      environment.put("SPARK_HOME", spec.folder().toString());
      environment.put("SPARK_SCALA_VERSION", "2.13");
      environment.put("SPARK_LOCAL_IP", WorkerCluster.HERE);
      // Its executors inherit it.
      environment.put(WorkerCluster.CELEBORN_IP, WorkerCluster.HERE);
    } else if (spec.settings().containsKey(DRIVER_HOST)) {
      environment.put(WorkerCluster.CELEBORN_IP, spec.settings().get(DRIVER_HOST));
    }
    return environment;
  }

  private Map<String, String> settings() {
    Map<String, String> settings = new TreeMap<>();
    settings.put("spark.ui.enabled", "false");
    settings.put("spark.ui.showConsoleProgress", "false");
    settings.put("spark.sql.warehouse.dir", spec.folder().resolve("warehouse").toString());
    if (spec.master().isLocal() || spec.master().isStandalone()) {
      // A standalone worker chooses those of its executors, so this is for the driver only.
      settings.put("spark.local.dir", spec.folder().resolve("local").toString());
    }
    if (spec.master().isLocal()) {
      // Each local cluster has its own master, which numbers applications from 0 within a second.
      // Without the name, two applications that start together could get the same ID and event log.
      settings.put(
          "spark.deploy.appIdPattern",
          "app-%s-%04d-" + spec.name().replaceAll("[^A-Za-z0-9-]", "-"));
    }
    // Otherwise a standalone application begins with the first executor that has joined. On a busy
    // machine the last one starts minutes later.
    settings.put("spark.scheduler.minRegisteredResourcesRatio", "1.0");
    settings.put("spark.scheduler.maxRegisteredResourcesWaitingTime", "300s");
    spec.master()
        .cores()
        .ifPresent(cores -> settings.put("spark.cores.max", Integer.toString(cores)));
    if (!spec.master().executorMemory().isEmpty()) {
      settings.put("spark.executor.memory", spec.master().executorMemory());
    }
    settings.putAll(spec.settings());
    return settings;
  }

  private String jars() {
    List<Path> jars = new ArrayList<>(runtime.libraries());
    jars.addAll(spec.jars());
    if (spec.plugin()) {
      jars.add(runtime.pluginJar());
    }
    return jars.stream().map(Path::toString).collect(Collectors.joining(","));
  }
}
