// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.record;

/**
 * The end of one task attempt.
 *
 * @param stageAttempt attempt of the stage, from 0
 * @param partition partition of the stage that it computed
 * @param attempt attempt of the task, from 0
 * @param speculative whether it ran beside another attempt
 * @param outcome {@code Success} or Spark's reason for the failure, as text
 * @param totals shuffle metrics; zero if the task has none
 */
public record TaskRecord(
    int stageId,
    int stageAttempt,
    int partition,
    int attempt,
    boolean speculative,
    String executorId,
    String outcome,
    ShuffleTotals totals) {

  /** Returns whether the task succeeded. */
  public boolean succeeded() {
    return outcome.equals("Success");
  }

  /** Returns whether the task ended with a fetch failure. */
  public boolean failedToFetch() {
    return outcome.startsWith("FetchFailed");
  }
}
