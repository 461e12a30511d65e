// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device.nvshmem;

import io.symshuffle.plugin.config.ClusterSettings;
import io.symshuffle.plugin.config.ClusterSettings.LocalCluster;
import io.symshuffle.plugin.config.DeviceConfig;
import io.symshuffle.plugin.config.Settings;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.spark.SparkConf;

/**
 * How many executors an application will have according to its settings.
 *
 * @param number 1 or more; empty if the settings do not say
 * @param source where the number is from, or why there is none
 */
public record ExpectedPes(OptionalInt number, String source) {
  public ExpectedPes {
    if (number.orElse(1) < 1) {
      throw new IllegalArgumentException(number.getAsInt() + " executors are expected");
    }
  }

  /**
   * Reads the number from an application's settings.
   *
   * @return 1 in local mode; otherwise from the first setting that determines the number: {@link
   *     Settings#DEVICE_PES}, the number of executors, {@code local-cluster[N,...]}, or all cores
   *     divided by those of an executor
   */
  public static ExpectedPes of(SparkConf conf, DeviceConfig device) {
    ClusterSettings cluster = new ClusterSettings(conf);
    if (cluster.isLocal()) {
      return known(1, "local mode");
    }
    if (device.pes().isPresent()) {
      return known(device.pes().get(), Settings.DEVICE_PES.key());
    }
    if (cluster.isDynamic()) {
      return unknown("with spark.dynamicAllocation.enabled their number varies");
    }
    OptionalInt instances = cluster.number("spark.executor.instances");
    if (instances.isPresent()) {
      return known(instances.getAsInt(), "spark.executor.instances");
    }
    if (cluster.localCluster().isPresent()) {
      LocalCluster local = cluster.localCluster().get();
      int cores = cluster.executorCores().orElse(Math.max(1, local.cores()));
      int each = Math.max(1, local.cores() / cores);
      return known(Math.max(1, local.workers() * each), cluster.master());
    }
    OptionalInt byCores = cluster.executorsByCores();
    if (byCores.isPresent()) {
      return known(byCores.getAsInt(), "spark.cores.max divided by spark.executor.cores");
    }
    return unknown(
        "none of %s, spark.executor.instances and spark.cores.max with spark.executor.cores is set"
            .formatted(Settings.DEVICE_PES.key()));
  }

  /** Returns why there can be no device heaps, with the remedy; empty if the number is known. */
  public Optional<String> problem() {
    return number.isPresent()
        ? Optional.empty()
        : Optional.of(
            "the number of executors with GPUs is unknown (%s): set %s"
                .formatted(source, Settings.DEVICE_PES.key()));
  }

  private static ExpectedPes known(int number, String source) {
    return new ExpectedPes(OptionalInt.of(number), source);
  }

  private static ExpectedPes unknown(String reason) {
    return new ExpectedPes(OptionalInt.empty(), reason);
  }
}
