// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import io.symshuffle.plugin.config.ByteSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How much an application that ran would gain from SymShuffle, in sentences. */
final class Assessment {
  private static final double MIN_WORTH_TRYING = 0.03;
  private static final double MIN_WORTH_IT = 0.10;

  private final JobFacts job;

  Assessment(JobFacts job) {
    this.job = job;
  }

  List<String> sentences() {
    Prediction prediction = job.prediction();
    StageFacts sum = job.sum();
    List<String> sentences = new ArrayList<>();
    sentences.add(
        "%s ran for %s on Spark %s; its tasks took %s in total."
            .formatted(
                job.name(),
                Amounts.seconds(job.seconds()),
                job.sparkVersion(),
                Amounts.seconds(sum.taskSeconds())));
    sentences.add(
        String.format(
            Locale.ROOT,
            "It shuffled %,d records, %s of rows; its largest query shuffled %s.",
            sum.recordsWritten(),
            ByteSize.text(sum.heapBytes()),
            ByteSize.text(job.peakBytes())));
    if (job.ranOnSymShuffle()) {
      sentences.add("It already ran on SymShuffle, so there is nothing to predict.");
      return sentences;
    }
    sentences.add(
        job.ranOnGpus()
            ? "Shuffles took %s of its tasks' time, %s according to RAPIDS' metrics."
                .formatted(
                    Amounts.percent(prediction.shuffleShare()),
                    Amounts.seconds(prediction.recordedSeconds()))
            : "Shuffles took at most %s of its tasks' time: %s according to Spark's log, and the rest is an estimate."
                .formatted(
                    Amounts.percent(prediction.shuffleShare()),
                    Amounts.seconds(prediction.recordedSeconds())));
    sentences.add(
        "SymShuffle can save at most %s of %s (%s), and %s."
            .formatted(
                Amounts.seconds(prediction.atMostSaved()),
                Amounts.seconds(job.seconds()),
                Amounts.percent(prediction.atMostShare()),
                job.ranOnGpus()
                    ? "nothing where tables are small"
                    : "should save %s or more"
                        .formatted(Amounts.seconds(prediction.expectedSaved()))));
    sentences.add(verdict(prediction.atMostShare()));
    return sentences;
  }

  private static String verdict(double share) {
    if (share < MIN_WORTH_TRYING) {
      return "Not worth it: this application hardly shuffles.";
    }
    return share < MIN_WORTH_IT
        ? "Little to gain: look for other bottlenecks first."
        : "Worth trying.";
  }
}
