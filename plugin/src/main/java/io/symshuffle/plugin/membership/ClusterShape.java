// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import static java.util.Objects.requireNonNull;

import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;

/**
 * How many executors a host will have according to the settings. Spark itself does not know before
 * they have started, but the first PE of a host must leave memory for the others.
 *
 * @param master the master's URL
 * @param executorCores cores per executor, if set
 * @param executorLimit the maximum number of executors of the application, if set
 */
public record ClusterShape(String master, OptionalInt executorCores, OptionalInt executorLimit) {
  private static final Pattern LOCAL = Pattern.compile("local(\\[.*])?");
  private static final Pattern LOCAL_CLUSTER =
      Pattern.compile("local-cluster\\[\\s*([0-9]+)\\s*,\\s*([0-9]+)\\s*,\\s*[0-9]+\\s*]");

  /** Checks that no part is null. */
  public ClusterShape {
    requireNonNull(master, "master is null");
    requireNonNull(executorCores, "executorCores is null");
    requireNonNull(executorLimit, "executorLimit is null");
  }

  /**
   * Reads the shape from the application's settings.
   *
   * @param conf the settings
   * @return the shape
   */
  public static ClusterShape of(SparkConf conf) {
    OptionalInt cores = number(conf, "spark.executor.cores");
    return new ClusterShape(conf.get("spark.master", "local"), cores, limit(conf, cores));
  }

  /**
   * Returns how many PEs to expect on a host, which share its memory.
   *
   * @param hostCores the cores that an executor there sees
   * @param givenCores the cores that the cluster gave to it, which override the setting; 0 if
   *     unknown
   * @param joined how many PEs have joined there, including the one that asks
   * @return the number, 1 or more
   */
  public int pesOfHost(int hostCores, int givenCores, int joined) {
    if (LOCAL.matcher(master).matches()) {
      return 1;
    }
    return Math.max(
        Math.max(1, joined),
        expected(hostCores, givenCores > 0 ? OptionalInt.of(givenCores) : executorCores));
  }

  private int expected(int hostCores, OptionalInt cores) {
    Matcher localCluster = LOCAL_CLUSTER.matcher(master);
    if (localCluster.matches()) {
      int workers = Integer.parseInt(localCluster.group(1));
      return workers * executorsIn(Integer.parseInt(localCluster.group(2)), cores);
    }
    return Math.min(executorsIn(hostCores, cores), executorLimit.orElse(Integer.MAX_VALUE));
  }

  // The default, 1: a standalone executor takes all cores of its worker.
  private static int executorsIn(int cores, OptionalInt each) {
    return each.isPresent() ? Math.max(1, Math.ceilDiv(cores, each.getAsInt())) : 1;
  }

  private static OptionalInt limit(SparkConf conf, OptionalInt cores) {
    if (conf.getBoolean("spark.dynamicAllocation.enabled", false)) {
      return number(conf, "spark.dynamicAllocation.maxExecutors");
    }
    OptionalInt coresInAll = number(conf, "spark.cores.max");
    if (coresInAll.isPresent() && cores.isPresent()) {
      return OptionalInt.of(Math.max(1, coresInAll.getAsInt() / cores.getAsInt()));
    }
    return number(conf, "spark.executor.instances");
  }

  // Spark itself refuses invalid numbers.
  private static OptionalInt number(SparkConf conf, String key) {
    try {
      int number = Integer.parseInt(conf.get(key, "0").trim());
      return number > 0 ? OptionalInt.of(number) : OptionalInt.empty();
    } catch (NumberFormatException e) {
      return OptionalInt.empty();
    }
  }
}
