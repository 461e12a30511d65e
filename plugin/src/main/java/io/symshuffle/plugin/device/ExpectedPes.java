// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import static java.util.Objects.requireNonNull;

import io.symshuffle.plugin.config.DeviceConfig;
import io.symshuffle.plugin.config.Settings;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;

/**
 * How many executors an application will have according to its settings. Spark itself does not know
 * before they have started.
 *
 * @param number 1 or more; empty if the settings do not say
 * @param source where the number is from, or why there is none
 */
public record ExpectedPes(OptionalInt number, String source) {
  private static final Pattern LOCAL = Pattern.compile("local(\\[.*])?");
  private static final Pattern LOCAL_CLUSTER =
      Pattern.compile("local-cluster\\[\\s*([0-9]+)\\s*,\\s*([0-9]+)\\s*,\\s*[0-9]+\\s*]");
  private static final String INSTANCES = "spark.executor.instances";
  private static final String CORES = "spark.executor.cores";
  private static final String CORES_IN_ALL = "spark.cores.max";
  private static final String DYNAMIC = "spark.dynamicAllocation.enabled";

  /** Checks the number. */
  public ExpectedPes {
    requireNonNull(source, "source is null");
    if (number.orElse(1) < 1) {
      throw new IllegalArgumentException(number.getAsInt() + " executors are expected");
    }
  }

  /**
   * Reads the number from an application's settings.
   *
   * @param conf Spark's settings
   * @param device ours
   * @return the number, from the first that says one: {@link Settings#DEVICE_PES}, the instances of
   *     executors, {@code local-cluster[N,...]}, all cores divided by those of an executor; 1 in
   *     local mode whatever the settings say
   */
  public static ExpectedPes of(SparkConf conf, DeviceConfig device) {
    String master = conf.get("spark.master", "local").trim();
    if (LOCAL.matcher(master).matches()) {
      return known(1, "local mode");
    }
    if (device.pes().isPresent()) {
      return known(device.pes().get(), Settings.DEVICE_PES.key());
    }
    if (conf.get(DYNAMIC, "false").trim().equalsIgnoreCase("true")) {
      return unknown("with %s their number varies".formatted(DYNAMIC));
    }
    OptionalInt instances = number(conf, INSTANCES);
    if (instances.isPresent()) {
      return known(instances.getAsInt(), INSTANCES);
    }
    OptionalInt cores = number(conf, CORES);
    Matcher localCluster = LOCAL_CLUSTER.matcher(master);
    if (localCluster.matches()) {
      int workers = Integer.parseInt(localCluster.group(1));
      int workerCores = Integer.parseInt(localCluster.group(2));
      int each = Math.max(1, workerCores / cores.orElse(Math.max(1, workerCores)));
      return known(Math.max(1, workers * each), master);
    }
    OptionalInt inAll = number(conf, CORES_IN_ALL);
    if (inAll.isPresent() && cores.isPresent()) {
      return known(
          Math.max(1, inAll.getAsInt() / cores.getAsInt()), CORES_IN_ALL + " divided by " + CORES);
    }
    return unknown(
        "none of %s, %s and %s with %s is set"
            .formatted(Settings.DEVICE_PES.key(), INSTANCES, CORES_IN_ALL, CORES));
  }

  /** {@return why there can be no device heaps, with the remedy; empty if the number is known} */
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
