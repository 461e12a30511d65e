// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.config;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;

/**
 * Spark's settings that say how many executors an application will have. Spark itself does not know
 * before they have started. Numbers that are not positive integers count as not set, since Spark
 * refuses them.
 *
 * @param master the master's URL
 * @param dynamic whether the number of executors varies
 * @param instances {@link #INSTANCES}
 * @param maxExecutors the maximum with dynamic allocation
 * @param coresPerExecutor {@link #EXECUTOR_CORES}
 * @param maxCores {@link #MAX_CORES}
 */
public record ClusterSettings(
    String master,
    boolean dynamic,
    OptionalInt instances,
    OptionalInt maxExecutors,
    OptionalInt coresPerExecutor,
    OptionalInt maxCores) {

  /** The number of executors. */
  public static final String INSTANCES = "spark.executor.instances";

  /** The cores of an executor. */
  public static final String EXECUTOR_CORES = "spark.executor.cores";

  /** The maximum number of cores of all executors together. */
  public static final String MAX_CORES = "spark.cores.max";

  /** Whether the number of executors varies. */
  public static final String DYNAMIC_ALLOCATION = "spark.dynamicAllocation.enabled";

  private static final Pattern LOCAL = Pattern.compile("local(\\[.*])?");
  private static final Pattern LOCAL_CLUSTER =
      Pattern.compile("local-cluster\\[\\s*([0-9]+)\\s*,\\s*([0-9]+)\\s*,\\s*[0-9]+\\s*]");

  /**
   * The workers of {@code local-cluster[workers,cores,memory]}.
   *
   * @param workers number of workers
   * @param cores cores of each
   */
  public record LocalCluster(int workers, int cores) {}

  /** Checks that no part is null. */
  public ClusterSettings {
    requireNonNull(master, "master is null");
    requireNonNull(instances, "instances is null");
    requireNonNull(maxExecutors, "maxExecutors is null");
    requireNonNull(coresPerExecutor, "coresPerExecutor is null");
    requireNonNull(maxCores, "maxCores is null");
  }

  /**
   * Reads the settings of an application.
   *
   * @param conf its settings
   * @return those about executors
   */
  public static ClusterSettings of(SparkConf conf) {
    return new ClusterSettings(
        conf.get("spark.master", "local").trim(),
        conf.get(DYNAMIC_ALLOCATION, "false").trim().equalsIgnoreCase("true"),
        number(conf, INSTANCES),
        number(conf, "spark.dynamicAllocation.maxExecutors"),
        number(conf, EXECUTOR_CORES),
        number(conf, MAX_CORES));
  }

  /** {@return whether driver and executor are one process} */
  public boolean isLocal() {
    return LOCAL.matcher(master).matches();
  }

  /** {@return the workers of a local cluster; empty with any other master} */
  public Optional<LocalCluster> localCluster() {
    Matcher matcher = LOCAL_CLUSTER.matcher(master);
    return matcher.matches()
        ? Optional.of(
            new LocalCluster(
                Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))))
        : Optional.empty();
  }

  /** {@return how many executors the maximum number of cores allows; empty if it is unknown} */
  public OptionalInt executorsByCores() {
    return maxCores.isPresent() && coresPerExecutor.isPresent()
        ? OptionalInt.of(Math.max(1, maxCores.getAsInt() / coresPerExecutor.getAsInt()))
        : OptionalInt.empty();
  }

  private static OptionalInt number(SparkConf conf, String key) {
    try {
      int number = Integer.parseInt(conf.get(key, "0").trim());
      return number > 0 ? OptionalInt.of(number) : OptionalInt.empty();
    } catch (NumberFormatException e) {
      return OptionalInt.empty();
    }
  }
}
