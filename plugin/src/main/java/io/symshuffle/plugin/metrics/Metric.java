// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.metrics;

import static java.util.Objects.requireNonNull;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.util.function.ToLongFunction;

/**
 * One number that we publish, read when somebody looks.
 *
 * @param <S> what it is read from
 * @param name its name after Spark's own prefix, words between dots, the unit last
 * @param documentation what it counts, as a phrase of Markdown
 * @param value reads it; any thread may, at any time
 */
public record Metric<S>(String name, String documentation, ToLongFunction<S> value) {
  /** Checks that every part is there. */
  public Metric {
    requireNonNull(name, "name is null");
    requireNonNull(documentation, "documentation is null");
    requireNonNull(value, "value is null");
  }

  /**
   * Publishes it.
   *
   * @param registry where
   * @param source what to read it from
   */
  void register(MetricRegistry registry, S source) {
    Gauge<Long> gauge = () -> value.applyAsLong(source);
    registry.register(name, gauge);
  }
}
