// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import static java.util.Objects.requireNonNull;

import io.symshuffle.plugin.usage.UsageReport;
import org.apache.spark.scheduler.SparkListenerEvent;

/**
 * An executor's usage, in Spark's event log under this class name. The names of the components are
 * the format, which a newer History Server must be able to read.
 */
public record UsageEvent(UsageReport report) implements SparkListenerEvent {
  public UsageEvent {
    requireNonNull(report, "report is null");
  }
}
