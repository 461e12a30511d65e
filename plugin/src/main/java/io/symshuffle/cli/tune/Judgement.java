// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;

/** What is to be said of an application that ran. */
final class Judgement {
  /** Below this share of the time nobody will notice. */
  static final double WORTH_TRYING = 0.03;

  private static final double WORTH_IT = 0.10;

  private final JobFacts job;

  Judgement(JobFacts job) {
    this.job = requireNonNull(job, "job is null");
  }

  /** {@return the judgement, a sentence a line} */
  List<String> sentences() {
    Prediction prediction = job.prediction();
    StageFacts sum = job.sum();
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
            .formatted(
                Amounts.percent(prediction.shuffleShare()),
                Amounts.seconds(prediction.recordedSeconds())));
    sentences.add(
        "SymShuffle can take away %s of %s at most (%s), and should save %s or more."
            .formatted(
                Amounts.seconds(prediction.atMostSaved()),
                Amounts.seconds(job.seconds()),
                Amounts.percent(prediction.atMostShare()),
                Amounts.seconds(prediction.expectedSaved())));
    sentences.add(worth(prediction.atMostShare()));
    job.delegable()
        .forEach(
            (key, value) ->
                sentences.add(
                    "But %s=%s sends all shuffles to Spark's sort shuffle: without it only."
                        .formatted(key, value)));
    return sentences;
  }

  private static String worth(double share) {
    if (share < WORTH_TRYING) {
      return "Not worth it: this application hardly shuffles.";
    }
    return share < WORTH_IT
        ? "Little to gain: look for its time elsewhere first."
        : "Worth trying.";
  }
}
