// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.scheduler.SparkListenerEvent;

/**
 * How many shuffles have used Spark's sort shuffle so far; in Spark's event log.
 *
 * @param time milliseconds since 1970
 * @param counts number of shuffles by reason
 */
public record DelegatedEvent(long time, Map<String, Long> counts) implements SparkListenerEvent {
  public DelegatedEvent {
    counts = new TreeMap<>(counts);
  }
}
