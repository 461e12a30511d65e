// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import org.apache.spark.scheduler.SparkListenerEvent;

/**
 * The end of a stage that wrote a shuffle; in Spark's event log, where stages do not name their
 * shuffles.
 *
 * @param writeNanos time that the tasks of the stage spent on writing
 */
public record StageEvent(int stageId, int shuffleId, long writeNanos)
    implements SparkListenerEvent {}
