// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.soak;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.symshuffle.benchmarks.measure.Statistics;
import java.util.Optional;

/**
 * The executions on one arm so far.
 *
 * @param arm its name
 * @param executions number of executions
 * @param tasks number of tasks in them
 * @param seconds their total duration
 * @param wrong the execution with a wrong value, after which this arm ends; null if there is none
 */
record ArmResult(String arm, long executions, long tasks, double seconds, WrongExecution wrong) {
  /** The probability with which the true rate is not above {@link #upperBound}. */
  static final double CONFIDENCE = 0.95;

  static ArmResult none(String arm) {
    return new ArmResult(arm, 0, 0, 0, null);
  }

  /** Returns this result and one more execution. */
  ArmResult plus(int tasks, double seconds, Optional<WrongExecution> wrong) {
    return new ArmResult(
        arm, executions + 1, this.tasks + tasks, this.seconds + seconds, wrong.orElse(null));
  }

  /** Returns whether no further execution is needed. */
  boolean isOver(long wanted) {
    return wrong != null || executions >= wanted;
  }

  @JsonProperty
  long wrongTasks() {
    return wrong == null ? 0 : wrong.tasks().size();
  }

  /** The largest rate of wrong tasks that these results do not exclude. */
  @JsonProperty
  double upperBound() {
    return Statistics.upperBound(wrongTasks(), tasks, CONFIDENCE);
  }
}
