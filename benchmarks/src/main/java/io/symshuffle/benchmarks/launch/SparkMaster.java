// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.cli.CliException;
import io.symshuffle.cli.ExpertSettings;
import io.symshuffle.cli.Recommendation;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.network.util.JavaUtils;

/**
 * The URL of a Spark master.
 *
 * @param url as for spark-submit
 */
public record SparkMaster(String url) {
  private static final Pattern LOCAL_CLUSTER =
      Pattern.compile(
          "local-cluster\\[\\s*([1-9]\\d{0,8})\\s*,\\s*([1-9]\\d{0,8})\\s*,\\s*([1-9]\\d{0,8})\\s*]");
  private static final Pattern KNOWN =
      Pattern.compile("local(\\[.*])?|spark://.+|yarn|k8s://.+|" + LOCAL_CLUSTER.pattern());

  /** Spark refuses executors with less: 1.5 times what it reserves. */
  private static final int LEAST_MIB = 450;

  /**
   * @throws CliException if it is invalid
   */
  public SparkMaster {
    if (!KNOWN.matcher(url).matches()) {
      throw CliException.wrongUsage(
          "'"
              + url
              + "' is not a master URL. Use local[2], local-cluster[2,1,2048] (executors, cores and"
              + " MiB of memory each), spark://host:port, yarn or k8s://...");
    }
    Matcher matcher = LOCAL_CLUSTER.matcher(url);
    if (matcher.matches() && Integer.parseInt(matcher.group(3)) < LEAST_MIB) {
      throw CliException.wrongUsage(
          "'%s' gives each executor %s MiB, but Spark needs at least %d."
              .formatted(url, matcher.group(3), LEAST_MIB));
    }
  }

  /** Returns whether all processes run on this machine and are started by us. */
  public boolean isLocal() {
    return url.startsWith("local");
  }

  /** Returns whether workers of a standalone cluster start the executors. */
  boolean isStandalone() {
    return url.startsWith("spark://");
  }

  /**
   * Returns the settings of an expert for executors with these settings; none if the driver runs
   * the tasks.
   */
  List<Recommendation> executor(Map<String, String> settings) {
    Matcher matcher = LOCAL_CLUSTER.matcher(url);
    boolean cluster = matcher.matches();
    if (isLocal() && !cluster) {
      return List.of();
    }
    // Executors of other clusters may have all cores of a machine.
    String cores = settings.getOrDefault("spark.executor.cores", cluster ? matcher.group(2) : "16");
    String memory =
        settings.getOrDefault("spark.executor.memory", cluster ? executorMemory() : "1g");
    try {
      return ExpertSettings.ofExecutors(
          Integer.parseInt(cores), JavaUtils.byteStringAsMb(memory) << 20);
    } catch (NumberFormatException e) {
      throw CliException.wrongUsage(
          "--conf: spark.executor.cores is %s and spark.executor.memory is %s; they must be a number and a size such as 8g."
              .formatted(cores, memory));
    }
  }

  /** Returns the cores of all executors of a local cluster; empty with any other master. */
  OptionalInt cores() {
    Matcher matcher = LOCAL_CLUSTER.matcher(url);
    return matcher.matches()
        ? OptionalInt.of(Integer.parseInt(matcher.group(1)) * Integer.parseInt(matcher.group(2)))
        : OptionalInt.empty();
  }

  /** Executors of a local cluster get all memory of their worker. */
  String executorMemory() {
    Matcher matcher = LOCAL_CLUSTER.matcher(url);
    return matcher.matches() ? matcher.group(3) + "m" : "";
  }
}
