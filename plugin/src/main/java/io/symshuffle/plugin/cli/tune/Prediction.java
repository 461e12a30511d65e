// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.cli.tune;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;

/**
 * What SymShuffle could take away from an application that ran on Spark's sort shuffle.
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

  /** Below this share of the time nobody will notice. */
  static final double WORTH_TRYING = 0.03;

  private static final double WORTH_IT = 0.10;

  private final JobFacts job;
  private final StageFacts sum;

  Prediction(JobFacts job) {
    this.job = requireNonNull(job, "job is null");
    this.sum = job.sum();
  }

  /** {@return core-seconds that the log itself names as shuffle} */
  double recordedSeconds() {
    return sum.writeSeconds() + sum.waitSeconds();
  }

  /** {@return core-seconds of shuffle, with the estimate for what the log does not name} */
  double shuffleSeconds() {
    return job.stages().stream().mapToDouble(Prediction::mostOf).sum();
  }

  /** {@return share of all tasks' time, 0 to 1} */
  double shuffleShare() {
    return sum.taskSeconds() == 0 ? 0 : shuffleSeconds() / sum.taskSeconds();
  }

  /** {@return seconds of the application's time if shuffles cost nothing at all} */
  double atMostSaved() {
    return saved(Prediction::mostOf);
  }

  /** {@return seconds that it should at least save where the heap holds the map outputs} */
  double expectedSaved() {
    return saved(
        stage ->
            Math.min(
                mostOf(stage),
                stage.waitSeconds() / 2
                    + (stage.recordsWritten() + stage.recordsRead())
                        / 2.0
                        * SAVED_SECONDS_A_RECORD));
  }

  /** A record's cost falls half on the stage that writes it, half on the one that reads it. */
  private static double mostOf(StageFacts stage) {
    double records = (stage.recordsWritten() + stage.recordsRead()) / 2.0 * SORT_SECONDS_A_RECORD;
    return Math.min(
        stage.taskSeconds(), Math.max(stage.writeSeconds(), records) + stage.waitSeconds());
  }

  /** What a share less of a stage's task time means for its time on the clock. */
  private double saved(java.util.function.ToDoubleFunction<StageFacts> coreSeconds) {
    double seconds = 0;
    for (StageFacts stage : job.stages()) {
      if (stage.taskSeconds() > 0) {
        seconds += stage.wallSeconds() * coreSeconds.applyAsDouble(stage) / stage.taskSeconds();
      }
    }
    return Math.min(seconds, job.seconds());
  }

  /** {@return the judgement, a sentence a line} */
  List<String> sentences() {
    List<String> sentences = new ArrayList<>();
    sentences.add(
        "%s ran %s on Spark %s; its tasks took %s together."
            .formatted(
                job.name(),
                Amounts.seconds(job.seconds()),
                job.sparkVersion(),
                Amounts.seconds(sum.taskSeconds())));
    sentences.add(
        "It put %,d records, %s of rows, through shuffles; the largest query %s."
            .formatted(
                sum.recordsWritten(),
                Amounts.bytes(sum.heapBytes()),
                Amounts.bytes(job.peakBytes())));
    if (job.ranOnSymShuffle()) {
      sentences.add("It ran on SymShuffle already: there is nothing to predict.");
      return sentences;
    }
    sentences.add(
        "Shuffle was at most %s of its tasks' time: %s that Spark's log names, the rest estimated."
            .formatted(Amounts.percent(shuffleShare()), Amounts.seconds(recordedSeconds())));
    double share = job.seconds() == 0 ? 0 : atMostSaved() / job.seconds();
    sentences.add(
        "SymShuffle can take away %s of %s at most (%s), and should save %s or more."
            .formatted(
                Amounts.seconds(atMostSaved()),
                Amounts.seconds(job.seconds()),
                Amounts.percent(share),
                Amounts.seconds(expectedSaved())));
    sentences.add(
        share < WORTH_TRYING
            ? "Not worth it: this application hardly shuffles."
            : share < WORTH_IT
                ? "Little to gain: look for its time elsewhere first."
                : "Worth trying.");
    job.delegable()
        .forEach(
            (key, value) ->
                sentences.add(
                    "But %s=%s sends all shuffles to Spark's sort shuffle: without it only."
                        .formatted(key, value)));
    return sentences;
  }
}
