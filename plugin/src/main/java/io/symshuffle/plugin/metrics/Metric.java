// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.metrics;

import static java.util.Objects.requireNonNull;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.util.function.ToLongFunction;

/**
 * A published number, read on demand.
 *
 * @param <S> what it is read from
 * @param name its name after Spark's prefix, words separated by dots, the unit last
 * @param documentation what it counts, a phrase in Markdown
 * @param value reads it; called by any thread at any time
 */
public record Metric<S>(String name, String documentation, ToLongFunction<S> value) {
  /** Checks that no part is null. */
  public Metric {
    requireNonNull(name, "name is null");
    requireNonNull(documentation, "documentation is null");
    requireNonNull(value, "value is null");
  }

  /**
   * Publishes it.
   *
   * @param registry Spark's
   * @param source what it is read from
   */
  void register(MetricRegistry registry, S source) {
    Gauge<Long> gauge = () -> value.applyAsLong(source);
    registry.register(name, gauge);
  }
}
