// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.metrics;

import static java.util.Objects.requireNonNull;

import com.codahale.metrics.MetricRegistry;
import io.symshuffle.plugin.bootstrap.Member.State;
import io.symshuffle.plugin.bootstrap.Membership;
import io.symshuffle.shuffle.core.ShuffleStats;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * What the driver publishes.
 *
 * @param shuffle the driver's counters
 * @param membership the table of PEs
 * @param devicePes counts PEs with device heaps
 */
public record DriverMetrics(ShuffleStats shuffle, Membership membership, IntSupplier devicePes) {
  private static final List<Metric<DriverMetrics>> ALL =
      List.of(
          new Metric<>("pes.joined", "PEs that are there", m -> m.membership.count(State.JOINED)),
          new Metric<>(
              "pes.lost", "PEs whose executors Spark removed", m -> m.membership.count(State.LOST)),
          new Metric<>(
              "pes.device",
              "PEs that have started device heaps, those lost since included",
              m -> m.devicePes.getAsInt()),
          new Metric<>(
              "shuffles.registered",
              "shuffles that go through the symmetric heap",
              m -> m.shuffle.shufflesRegistered()),
          new Metric<>(
              "shuffles.delegated",
              "shuffles left to Spark's sort shuffle; the driver's log has each reason once",
              m -> m.shuffle.delegatedByReason().values().stream().mapToLong(n -> n).sum()));

  /** Checks that all sources are there. */
  public DriverMetrics {
    requireNonNull(shuffle, "shuffle is null");
    requireNonNull(membership, "membership is null");
    requireNonNull(devicePes, "devicePes is null");
  }

  /**
   * The table.
   *
   * @return every metric of the driver, in the order of the documentation
   */
  public static List<Metric<DriverMetrics>> all() {
    return ALL;
  }

  /**
   * Publishes all of them.
   *
   * @param registry where
   */
  public void register(MetricRegistry registry) {
    ALL.forEach(metric -> metric.register(registry, this));
  }
}
