// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import io.symshuffle.benchmarks.launch.SharedClasses;
import io.symshuffle.it.process.Jars;
import io.symshuffle.it.process.SparkHome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The Spark settings of an application of tests. */
final class ClusterSettings {
  private static final String PLUGIN_CLASS = "io.symshuffle.SymShufflePlugin";

  private ClusterSettings() {}

  /**
   * Returns all settings.
   *
   * @param folder for logs and local files
   * @param heapFolder base folder of the heaps, unless the spec sets another
   */
  static NavigableMap<String, String> of(
      ClusterSpec spec, String master, String address, Path folder, Path heapFolder) {
    NavigableMap<String, String> settings = new TreeMap<>();
    settings.put("spark.app.name", folder.getFileName().toString());
    settings.put("spark.master", master);
    settings.put(SparkHome.ID_PATTERN, SparkHome.idPattern());
    settings.put("spark.ui.enabled", "false");
    settings.put("spark.driver.host", address);
    settings.put("spark.driver.bindAddress", address);
    settings.put("spark.default.parallelism", "4");
    settings.put("spark.sql.shuffle.partitions", "4");
    settings.put("spark.sql.warehouse.dir", folder.resolve("warehouse").toString());
    settings.put("spark.local.dir", Folders.create(localFolder(folder)).toString());
    settings.put("spark.eventLog.enabled", "true");
    settings.put("spark.eventLog.compress", "false");
    settings.put("spark.eventLog.dir", Folders.create(folder.resolve("events")).toUri().toString());
    settings.put("spark.executorEnv.JAVA_HOME", System.getProperty("java.home"));
    settings.put("spark.executor.cores", Integer.toString(spec.cores()));
    settings.put("spark.executor.memory", spec.memoryMb() + "m");
    settings.put("spark.scheduler.minRegisteredResourcesRatio", "1.0");
    List<Path> executorClassPath = new ArrayList<>();
    List<String> executorOptions = new ArrayList<>();
    executorOptions.add("-Dlog4j2.configurationFile=" + executorLogSettings(folder));
    if (spec.kind() != ClusterKind.LOCAL) {
      executorClassPath.addAll(Jars.sharedFirst());
      executorOptions.addAll(SharedClasses.options());
    }
    executorClassPath.addAll(Jars.harness());
    if (spec.plugin().isPresent()) {
      settings.put("spark.plugins", PLUGIN_CLASS);
      // On a busy machine, executors may start minutes apart.
      settings.put("spark.symshuffle.join.timeout", "5min");
      settings.put("spark.symshuffle.device.timeout", "10min");
      if (spec.kind() != ClusterKind.HOSTS) {
        settings.put("spark.symshuffle.heap.dir", Folders.create(heapFolder).toString());
      }
      switch (spec.plugin()) {
        case EXTRA_CLASS_PATH -> executorClassPath.add(Jars.plugin());
        case JARS -> settings.put("spark.jars", Jars.plugin().toString());
        case ABSENT -> {}
      }
    }
    if (spec.kind() != ClusterKind.LOCAL) {
      settings.put("spark.executor.extraClassPath", Jars.join(executorClassPath));
    }
    settings.putAll(spec.conf());
    settings.merge(
        "spark.executor.extraJavaOptions",
        String.join(" ", executorOptions),
        (theirs, ours) -> theirs + " " + ours);
    return settings;
  }

  /** Spark's local folder for driver and executors. */
  static Path localFolder(Path folder) {
    return folder.resolve("local");
  }

  private static String executorLogSettings(Path folder) {
    Path file = folder.resolve("executor-log4j2.properties");
    try {
      Files.writeString(
          file,
          """
          rootLogger.level = info
          rootLogger.appenderRef.stderr.ref = stderr
          appender.stderr.type = Console
          appender.stderr.name = stderr
          appender.stderr.target = SYSTEM_ERR
          appender.stderr.layout.type = PatternLayout
          appender.stderr.layout.pattern = %d{HH:mm:ss.SSS} %-5p [%t] %c{1}: %m%n%ex
          logger.ours.name = io.symshuffle
          logger.ours.level = debug
          """);
      return file.toUri().toString();
    } catch (IOException e) {
      throw new UncheckedIOException("writing " + file, e);
    }
  }
}
