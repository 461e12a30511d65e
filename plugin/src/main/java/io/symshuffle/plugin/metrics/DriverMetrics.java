// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.metrics;

import static java.util.Objects.requireNonNull;

import com.codahale.metrics.MetricRegistry;
import io.symshuffle.shuffle.core.ShuffleStats;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * The driver's metrics.
 *
 * @param shuffle the driver's counters
 * @param joinedPes counts PEs that are alive
 * @param lostPes counts PEs whose executors Spark removed
 * @param devicePes counts PEs with device heaps
 */
public record DriverMetrics(
    ShuffleStats shuffle, IntSupplier joinedPes, IntSupplier lostPes, IntSupplier devicePes) {
  private static final List<Metric<DriverMetrics>> ALL =
      List.of(
          new Metric<>("pes.joined", "PEs that are alive", m -> m.joinedPes.getAsInt()),
          new Metric<>("pes.lost", "PEs whose executors Spark removed", m -> m.lostPes.getAsInt()),
          new Metric<>(
              "pes.device",
              "PEs that have started device heaps, including those lost since",
              m -> m.devicePes.getAsInt()),
          new Metric<>(
              "shuffles.registered",
              "shuffles that use the symmetric heap",
              m -> m.shuffle.shufflesRegistered()),
          new Metric<>(
              "shuffles.delegated",
              "shuffles that use Spark's sort shuffle; the driver logs each reason once",
              m -> m.shuffle.delegatedByReason().values().stream().mapToLong(n -> n).sum()));

  /** Checks that no source is null. */
  public DriverMetrics {
    requireNonNull(shuffle, "shuffle is null");
    requireNonNull(joinedPes, "joinedPes is null");
    requireNonNull(lostPes, "lostPes is null");
    requireNonNull(devicePes, "devicePes is null");
  }

  /**
   * Returns the table.
   *
   * @return every metric of the driver, in the order of the documentation
   */
  public static List<Metric<DriverMetrics>> all() {
    return ALL;
  }

  /**
   * Publishes all of them.
   *
   * @param registry Spark's
   */
  public void register(MetricRegistry registry) {
    ALL.forEach(metric -> metric.register(registry, this));
  }
}
