// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.cli.tune;

import static java.util.Objects.requireNonNull;

import io.symshuffle.plugin.cli.JsonText;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The command's answer: the text is a spark-defaults file, with everything else as its comments.
 *
 * @param machine for which
 * @param job which application it looked at, if any
 * @param lines the settings
 */
record TuneReport(MachineFacts machine, Optional<JobFacts> job, List<Line> lines) {
  private static final int WIDTH = 100;

  TuneReport {
    requireNonNull(machine, "machine is null");
    requireNonNull(job, "job is null");
    lines = List.copyOf(lines);
  }

  static TuneReport of(MachineFacts machine, Optional<JobFacts> job) {
    return new TuneReport(machine, job, new Advice(machine, job).lines());
  }

  String text() {
    StringBuilder text = new StringBuilder();
    comment(text, "Settings for executors on machines of " + machine + ".");
    job.ifPresent(
        facts -> {
          text.append("#\n");
          new Prediction(facts).sentences().forEach(sentence -> comment(text, sentence));
        });
    for (Line line : lines) {
      text.append('\n');
      comment(text, line.reason() + ".");
      text.append("%s  %s%n".formatted(line.key(), line.value()));
    }
    return text.toString();
  }

  private static void comment(StringBuilder text, String sentence) {
    String capital =
        sentence.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + sentence.substring(1);
    StringBuilder line = new StringBuilder("#");
    for (String word : capital.split(" ", -1)) {
      if (line.length() + word.length() >= WIDTH) {
        text.append(line).append('\n');
        line = new StringBuilder("#");
      }
      line.append(' ').append(word);
    }
    text.append(line).append('\n');
  }

  String json() {
    Map<String, Object> object =
        JsonText.object(
            "machine",
            JsonText.object(
                "cores", machine.cores(),
                "memoryBytes", machine.memoryBytes(),
                "sharedBytes", machine.sharedBytes(),
                "gpus", machine.gpus()),
            "settings",
            lines.stream()
                .map(
                    line ->
                        JsonText.object(
                            "key", line.key(), "value", line.value(), "reason", line.reason()))
                .toList());
    job.ifPresent(facts -> object.put("job", json(facts)));
    return JsonText.of(object) + "\n";
  }

  private static Map<String, Object> json(JobFacts facts) {
    Prediction prediction = new Prediction(facts);
    StageFacts sum = facts.sum();
    return JsonText.object(
        "name", facts.name(),
        "seconds", facts.seconds(),
        "taskSeconds", sum.taskSeconds(),
        "shuffleRecords", sum.recordsWritten(),
        "shuffleBytes", sum.heapBytes(),
        "largestQueryBytes", facts.peakBytes(),
        "recordedShuffleSeconds", prediction.recordedSeconds(),
        "shuffleShare", prediction.shuffleShare(),
        "savedAtMostSeconds", prediction.atMostSaved(),
        "savedExpectedSeconds", prediction.expectedSaved(),
        "sentences", prediction.sentences());
  }
}
