// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What SymShuffle could take away from an application, or one query of it, that ran on Spark's sort
 * shuffle.
 *
 * <p>Spark's log has two times of a shuffle: writing files and waiting for blocks. Sorting,
 * serializing and compressing rows, and the way back, are inside the tasks' time and nowhere named;
 * they are estimated by the number of records. The rates are core-seconds a record of
 * docs/benchmarks/shuffle-2cores.json, each job's time above the same job without its exchange:
 * sort shuffle 0.49 (repartition) to 0.81 us (group by), SymShuffle 0.15 to 0.43 us.
 */
final class Prediction {
  /** Core-seconds that sort shuffle costs at most for a record on its whole way. */
  static final double SORT_SECONDS_A_RECORD = 0.81e-6;

  /** Core-seconds a record that were saved in the least favourable of those jobs. */
  static final double SAVED_SECONDS_A_RECORD = 0.23e-6;

  private final double seconds;
  private final List<StageFacts> stages;
  private final StageFacts sum;

  /**
   * Predicts.
   *
   * @param seconds that it took on the clock
   * @param stages all that ran for it
   */
  Prediction(double seconds, List<StageFacts> stages) {
    this.seconds = seconds;
    this.stages = List.copyOf(stages);
    this.sum = StageFacts.sum(stages);
  }

  /** {@return seconds that it took on the clock} */
  double seconds() {
    return seconds;
  }

  /** {@return core-seconds that the log itself names as shuffle} */
  double recordedSeconds() {
    return sum.writeSeconds() + sum.waitSeconds();
  }

  /** {@return core-seconds of shuffle, with the estimate for what the log does not name} */
  double shuffleSeconds() {
    return stages.stream().mapToDouble(Prediction::mostOf).sum();
  }

  /** {@return share of all tasks' time, 0 to 1} */
  double shuffleShare() {
    return sum.taskSeconds() == 0 ? 0 : shuffleSeconds() / sum.taskSeconds();
  }

  /** {@return seconds on the clock that are saved if shuffles cost nothing at all} */
  double atMostSaved() {
    return saved(Prediction::mostOf);
  }

  /** {@return the same as a share of the time on the clock, 0 to 1} */
  double atMostShare() {
    return seconds == 0 ? 0 : atMostSaved() / seconds;
  }

  /** {@return core-seconds that SymShuffle should at least save} */
  double expectedCoreSeconds() {
    return stages.stream().mapToDouble(Prediction::leastOf).sum();
  }

  /**
   * {@return seconds on the clock that it should at least save where the heap holds the map
   * outputs}
   */
  double expectedSaved() {
    return saved(Prediction::leastOf);
  }

  private static double leastOf(StageFacts stage) {
    double records = (stage.recordsWritten() + stage.recordsRead()) / 2.0 * SAVED_SECONDS_A_RECORD;
    return Math.min(mostOf(stage), stage.waitSeconds() / 2 + records);
  }

  /** A record's cost falls half on the stage that writes it, half on the one that reads it. */
  private static double mostOf(StageFacts stage) {
    double records = (stage.recordsWritten() + stage.recordsRead()) / 2.0 * SORT_SECONDS_A_RECORD;
    return Math.min(
        stage.taskSeconds(), Math.max(stage.writeSeconds(), records) + stage.waitSeconds());
  }

  /** What a share less of a stage's task time means for its time on the clock. */
  private double saved(ToDoubleFunction<StageFacts> coreSeconds) {
    double saved = 0;
    for (StageFacts stage : stages) {
      if (stage.taskSeconds() > 0) {
        saved += stage.wallSeconds() * coreSeconds.applyAsDouble(stage) / stage.taskSeconds();
      }
    }
    return Math.min(saved, seconds);
  }
}
