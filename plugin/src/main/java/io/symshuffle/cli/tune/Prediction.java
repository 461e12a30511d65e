// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * How much time SymShuffle could save in an application, or in one of its queries, that ran on
 * Spark's sort shuffle.
 *
 * <p>Spark's log records two times of a shuffle: writing files and waiting for blocks. Sorting,
 * serializing and compressing rows, and the reverse, are part of the tasks' time and not recorded;
 * they are estimated from the number of records. The rates are core-seconds per record from
 * docs/benchmarks/shuffle-2cores.json, each job's time above that of the same job without its
 * exchange: 0.49 (repartition) to 0.81 us (group by) with sort shuffle, 0.15 to 0.43 us with
 * SymShuffle.
 *
 * <p>RAPIDS records what its shuffles take, so nothing is estimated there. Nothing can be said
 * about how much is saved at least: SymShuffle moves tables by other steps, and gains little with
 * small ones.
 */
final class Prediction {
  /** The most core-seconds that sort shuffle spends on a record, writing and reading it. */
  static final double SORT_SECONDS_PER_RECORD = 0.81e-6;

  /** Core-seconds per record saved in the least favorable of those jobs. */
  static final double SAVED_SECONDS_PER_RECORD = 0.23e-6;

  private final double seconds;
  private final List<StageFacts> stages;
  private final StageFacts sum;

  /**
   * @param seconds wall-clock time that it took
   * @param stages all stages that ran for it
   */
  Prediction(double seconds, List<StageFacts> stages) {
    this.seconds = seconds;
    this.stages = List.copyOf(stages);
    this.sum = StageFacts.sum(stages);
  }

  /** Returns the wall-clock seconds that it took. */
  double seconds() {
    return seconds;
  }

  /** Returns the core-seconds that the log records as shuffle, RAPIDS' metrics included. */
  double recordedSeconds() {
    return sum.writeSeconds() + sum.engineSeconds() + sum.waitSeconds();
  }

  /** Returns core-seconds of shuffle, including the estimate for what the log does not record. */
  double shuffleSeconds() {
    return stages.stream().mapToDouble(Prediction::maxOf).sum();
  }

  /** Returns the share of all tasks' time, 0 to 1. */
  double shuffleShare() {
    return sum.taskSeconds() == 0 ? 0 : shuffleSeconds() / sum.taskSeconds();
  }

  /** Returns the wall-clock seconds saved if shuffles cost nothing. */
  double atMostSaved() {
    return saved(Prediction::maxOf);
  }

  /** Returns the same as a share of the wall-clock time, 0 to 1. */
  double atMostShare() {
    return seconds == 0 ? 0 : atMostSaved() / seconds;
  }

  /** Returns the wall-clock seconds that should at least be saved if the heap holds all runs. */
  double expectedSaved() {
    return saved(Prediction::minOf);
  }

  private static double minOf(StageFacts stage) {
    if (stage.engineSeconds() > 0) {
      return 0;
    }
    double records =
        (stage.recordsWritten() + stage.recordsRead()) / 2.0 * SAVED_SECONDS_PER_RECORD;
    return Math.min(maxOf(stage), stage.waitSeconds() / 2 + records);
  }

  /** Half of a record's cost is in the stage that writes it, half in the stage that reads it. */
  private static double maxOf(StageFacts stage) {
    double records = (stage.recordsWritten() + stage.recordsRead()) / 2.0 * SORT_SECONDS_PER_RECORD;
    double written = stage.writeSeconds() + stage.engineSeconds();
    return Math.min(stage.taskSeconds(), Math.max(written, records) + stage.waitSeconds());
  }

  /** Translates core-seconds saved in each stage into wall-clock seconds. */
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
