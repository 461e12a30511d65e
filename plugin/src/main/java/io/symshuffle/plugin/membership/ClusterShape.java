// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.membership;

import io.symshuffle.plugin.config.ClusterSettings;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.spark.SparkConf;

/**
 * How many executors a host will have according to the settings: the first PE of a host must leave
 * memory for the others.
 *
 * @param settings Spark's settings about executors
 */
public record ClusterShape(ClusterSettings settings) {

  /** Reads the shape from the application's settings. */
  public static ClusterShape of(SparkConf conf) {
    return new ClusterShape(new ClusterSettings(conf));
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
    if (settings.isLocal()) {
      return 1;
    }
    OptionalInt cores = givenCores > 0 ? OptionalInt.of(givenCores) : settings.executorCores();
    return Math.max(Math.max(1, joined), expected(hostCores, cores));
  }

  private int expected(int hostCores, OptionalInt cores) {
    Optional<ClusterSettings.LocalCluster> cluster = settings.localCluster();
    return cluster.isPresent()
        ? cluster.get().workers() * executorsIn(cluster.get().cores(), cores)
        : Math.min(executorsIn(hostCores, cores), limit().orElse(Integer.MAX_VALUE));
  }

  // The default, 1: a standalone executor takes all cores of its worker.
  private static int executorsIn(int cores, OptionalInt each) {
    return each.isPresent() ? Math.max(1, Math.ceilDiv(cores, each.getAsInt())) : 1;
  }

  /** The maximum number of executors of the application; empty if there is none. */
  private OptionalInt limit() {
    if (settings.isDynamic()) {
      return settings.number("spark.dynamicAllocation.maxExecutors");
    }
    OptionalInt byCores = settings.executorsByCores();
    return byCores.isPresent() ? byCores : settings.number("spark.executor.instances");
  }
}
