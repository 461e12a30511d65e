// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import static java.util.Objects.requireNonNull;

import io.symshuffle.plugin.metrics.UsageReport;
import org.apache.spark.scheduler.SparkListenerEvent;

/**
 * An executor's numbers, in Spark's event log under this class name. The names of the components
 * are the format: the History Server may be newer than the log.
 *
 * @param report what the executor sent
 */
public record UsageEvent(UsageReport report) implements SparkListenerEvent {
  /** Checks that there is one. */
  public UsageEvent {
    requireNonNull(report, "report is null");
  }
}
