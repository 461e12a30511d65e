// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static java.util.Objects.requireNonNull;

import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The Spark application that a test needs; tests with equal specs can share one.
 *
 * @param executors number of executors; 1 for {@link ClusterKind#LOCAL}
 * @param cores tasks that an executor runs at a time
 * @param memoryMb memory per executor in MiB
 * @param plugin how the executors get our jar
 * @param conf Spark settings, which override those of the harness
 */
public record ClusterSpec(
    ClusterKind kind,
    int executors,
    int cores,
    int memoryMb,
    PluginJar plugin,
    NavigableMap<String, String> conf) {
  private static final Pattern PROPERTY = Pattern.compile("\\$\\{([^}]+)}");

  public ClusterSpec {
    if (executors < 1 || cores < 1 || memoryMb < 1) {
      throw new IllegalArgumentException(
          "executors (%d), cores (%d) and memory (%d MiB) must be at least 1"
              .formatted(executors, cores, memoryMb));
    }
    if (kind == ClusterKind.LOCAL && executors != 1) {
      throw new IllegalArgumentException(
          "a local application is one process, but %d executors were requested; use LOCAL_CLUSTER"
              .formatted(executors));
    }
    conf = Collections.unmodifiableNavigableMap(new TreeMap<>(conf));
  }

  /** Returns {@code local[cores]} with our plugin. */
  public static ClusterSpec local(int cores) {
    return of(ClusterKind.LOCAL, 1, cores);
  }

  /** Returns {@code local-cluster[executors,cores,1024]} with our plugin. */
  public static ClusterSpec localCluster(int executors, int cores) {
    return of(ClusterKind.LOCAL_CLUSTER, executors, cores);
  }

  private static ClusterSpec of(ClusterKind kind, int executors, int cores) {
    return new ClusterSpec(
        kind, executors, cores, 1024, PluginJar.EXTRA_CLASS_PATH, new TreeMap<>());
  }

  /**
   * Returns the spec of an annotation. If system property {@code symshuffle.it.plugin} is {@code
   * absent}, all specs are without our plugin, to see which tests fail without it.
   */
  static ClusterSpec of(SparkTest annotation) {
    Map<String, String> conf = new TreeMap<>();
    for (String setting : String.join("\n", annotation.conf()).lines().toList()) {
      int equals = setting.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException(
            "setting '%s' of @SparkTest is not of the form key=value".formatted(setting));
      }
      conf.put(setting.substring(0, equals), resolved(setting.substring(equals + 1)));
    }
    return new ClusterSpec(
        annotation.cluster(),
        annotation.cluster() == ClusterKind.LOCAL ? 1 : annotation.executors(),
        annotation.cores(),
        annotation.memoryMb(),
        "absent".equals(System.getProperty("symshuffle.it.plugin"))
            ? PluginJar.ABSENT
            : annotation.plugin(),
        new TreeMap<>(conf));
  }

  private static String resolved(String value) {
    return PROPERTY
        .matcher(value)
        .replaceAll(
            match -> {
              String found = System.getProperty(match.group(1));
              return Matcher.quoteReplacement(
                  requireNonNull(found, () -> "no system property " + match.group(1)));
            });
  }

  /** Returns a copy with another setting. */
  public ClusterSpec with(String key, String value) {
    NavigableMap<String, String> more = new TreeMap<>(conf);
    more.put(key, value);
    return new ClusterSpec(kind, executors, cores, memoryMb, plugin, more);
  }
}
