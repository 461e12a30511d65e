// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cli.JsonText;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The command's answer: the text is a spark-defaults file, with everything else as its comments.
 *
 * @param machine for which
 * @param job which application it looked at, if any
 * @param evaluation how good its predictions were, if that was asked
 * @param lines the settings
 */
record TuneReport(
    MachineFacts machine,
    Optional<JobFacts> job,
    Optional<Evaluation> evaluation,
    List<Line> lines) {
  private static final int WIDTH = 100;

  TuneReport {
    requireNonNull(machine, "machine is null");
    requireNonNull(job, "job is null");
    requireNonNull(evaluation, "evaluation is null");
    lines = List.copyOf(lines);
  }

  static TuneReport of(
      MachineFacts machine, Optional<JobFacts> job, Optional<Evaluation> evaluation) {
    return new TuneReport(machine, job, evaluation, new Advice(machine, job).lines());
  }

  String text() {
    StringBuilder text = new StringBuilder();
    comment(text, "Settings for executors on machines of " + machine + ".");
    job.ifPresent(facts -> judge(text, facts));
    for (Line line : lines) {
      text.append('\n');
      comment(text, line.reason() + ".");
      text.append("%s  %s%n".formatted(line.key(), line.value()));
    }
    return text.toString();
  }

  private void judge(StringBuilder text, JobFacts facts) {
    text.append("#\n");
    new Judgement(facts).sentences().forEach(sentence -> comment(text, sentence));
    if (evaluation.isPresent()) {
      text.append("#\n");
      comment(text, "Predictions and what came of them, time on the clock:");
      compare(text, evaluation.get(), ComparedQuery::clock);
      text.append("#\n");
      comment(text, "The same in time that the threads of tasks had a core:");
      compare(text, evaluation.get(), ComparedQuery::cores);
    } else if (!facts.queries().isEmpty() && !facts.ranOnSymShuffle()) {
      table(text, QueryTable.predictions(QueryPrediction.ofAll(facts.queries())));
    }
  }

  private static void compare(
      StringBuilder text, Evaluation evaluation, Function<ComparedQuery, Bounds> which) {
    table(text, QueryTable.compared(evaluation.queries(), which));
    text.append("#\n");
    evaluation.sentences(which).forEach(sentence -> comment(text, sentence));
  }

  private static void table(StringBuilder text, List<String> lines) {
    text.append("#\n");
    lines.forEach(line -> text.append("#   ").append(line).append('\n'));
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
    evaluation.ifPresent(e -> object.put("evaluation", e.json()));
    return JsonText.of(object) + "\n";
  }

  private static Map<String, Object> json(JobFacts facts) {
    Prediction prediction = facts.prediction();
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
        "sentences", new Judgement(facts).sentences(),
        "queries", QueryPrediction.ofAll(facts.queries()).stream().map(TuneReport::json).toList());
  }

  private static Map<String, Object> json(QueryPrediction query) {
    return JsonText.object(
        "query", query.name(),
        "runs", query.runs(),
        "seconds", query.seconds(),
        "shuffleShare", query.shuffleShare(),
        "savedAtMostSeconds", query.atMostSaved(),
        "savedExpectedSeconds", query.expectedSaved());
  }
}
