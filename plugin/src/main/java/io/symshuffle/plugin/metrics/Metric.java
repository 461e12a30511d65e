// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * A published number, read on demand.
 *
 * @param kind how it changes
 * @param name its name after Spark's prefix, words separated by dots, the unit last
 * @param documentation what it counts, a phrase in Markdown
 * @param value reads it; called by any thread at any time
 */
public record Metric<S>(Kind kind, String name, String documentation, ToLongFunction<S> value) {
  /** How a number changes, which tells monitoring systems what they may do with it. */
  public enum Kind {
    /** A current value. */
    GAUGE,
    /** Only grows, from 0 at the start of the process. */
    COUNTER
  }

  /** A counter that is kept elsewhere. */
  private static final class ReadCounter extends Counter {
    private final LongSupplier value;

    ReadCounter(LongSupplier value) {
      this.value = value;
    }

    @Override
    public long getCount() {
      return value.getAsLong();
    }

    @Override
    public void inc(long n) {
      throw new UnsupportedOperationException("this counter is read only");
    }

    @Override
    public void dec(long n) {
      throw new UnsupportedOperationException("this counter is read only");
    }
  }

  static <S> Metric<S> gauge(String name, String documentation, ToLongFunction<S> value) {
    return new Metric<>(Kind.GAUGE, name, documentation, value);
  }

  static <S> Metric<S> counter(String name, String documentation, ToLongFunction<S> value) {
    return new Metric<>(Kind.COUNTER, name, documentation, value);
  }

  /** Publishes it. */
  void register(MetricRegistry registry, S source) {
    switch (kind) {
      case GAUGE -> {
        Gauge<Long> gauge = () -> value.applyAsLong(source);
        registry.register(name, gauge);
      }
      case COUNTER -> registry.register(name, new ReadCounter(() -> value.applyAsLong(source)));
    }
  }
}
