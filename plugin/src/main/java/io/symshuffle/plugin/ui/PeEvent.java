// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import static java.util.Objects.requireNonNull;

import org.apache.spark.scheduler.SparkListenerEvent;

/**
 * A PE that joined, reported its start, or was lost; in Spark's event log.
 *
 * @param time milliseconds since 1970
 * @param pe its number; -1 if it could not join or this event does not say
 * @param state {@link #JOINED} or {@link #LOST}
 * @param heapBytes size of its host heap; 0 if it has none or has not reported yet
 * @param heapFolder the folder that contains it; empty if unknown
 * @param note a sentence about a problem; empty if there is none
 */
public record PeEvent(
    long time,
    String executorId,
    int pe,
    String host,
    String state,
    long heapBytes,
    String heapFolder,
    String note)
    implements SparkListenerEvent {
  /** State of a PE that takes part. */
  public static final String JOINED = "joined";

  /** State of a PE that Spark has removed. */
  public static final String LOST = "lost";

  public PeEvent {
    requireNonNull(executorId, "executorId is null");
    requireNonNull(host, "host is null");
    requireNonNull(state, "state is null");
    requireNonNull(heapFolder, "heapFolder is null");
    requireNonNull(note, "note is null");
  }
}
