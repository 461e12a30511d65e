// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cli.JsonText;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The command's output. As text it is a spark-defaults file with everything else in comments.
 *
 * @param layout the cluster that the settings are for
 * @param memory how the memory of a machine is divided
 * @param job the application whose log was read, if any
 * @param settings the recommended settings
 */
record TuneReport(
    Layout layout, MemoryPlan memory, Optional<JobFacts> job, List<Recommendation> settings) {
  private static final int WIDTH = 100;

  TuneReport {
    requireNonNull(layout, "layout is null");
    requireNonNull(memory, "memory is null");
    requireNonNull(job, "job is null");
    settings = List.copyOf(settings);
  }

  static TuneReport of(Layout layout, Optional<JobFacts> job) {
    OptionalLong needed =
        job.stream().mapToLong(JobFacts::peakBytes).filter(bytes -> bytes > 0).findFirst();
    MemoryPlan memory = MemoryPlan.of(layout, needed);
    return new TuneReport(layout, memory, job, new Advice(layout, memory, job).settings());
  }

  String text() {
    StringBuilder text = new StringBuilder();
    comment(text, "Settings for " + layout + ".");
    text.append("#\n");
    memory.lines().forEach(line -> text.append("#   ").append(line).append('\n'));
    job.ifPresent(facts -> assess(text, facts));
    for (Recommendation setting : settings) {
      text.append('\n');
      comment(text, setting.reason() + ".");
      text.append("%s  %s%n".formatted(setting.key(), setting.value()));
    }
    return text.toString();
  }

  private void assess(StringBuilder text, JobFacts facts) {
    text.append("#\n");
    new Assessment(facts).sentences().forEach(sentence -> comment(text, sentence));
    if (facts.ranOnGpus() && !layout.hasGpus()) {
      comment(text, "It ran on GPUs, but these settings are for a machine without: add --gpus N.");
    }
    if (!facts.queries().isEmpty() && !facts.ranOnSymShuffle()) {
      text.append("#\n");
      QueryTable.lines(QueryPrediction.ofAll(facts.queries()))
          .forEach(line -> text.append("#   ").append(line).append('\n'));
    }
  }

  private static void comment(StringBuilder text, String sentence) {
    StringBuilder line = new StringBuilder("#");
    for (String word : sentence.split(" ", -1)) {
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
            "cluster",
            layout.kind().toString(),
            "nodes",
            layout.nodes(),
            "executorsPerNode",
            layout.executors(),
            "machine",
            JsonText.object(
                "cores", layout.machine().cores(),
                "memoryBytes", layout.machine().memoryBytes(),
                "sharedBytes", layout.machine().sharedBytes(),
                "gpus", layout.machine().gpus()),
            "memory",
            JsonText.object(
                "systemBytes", memory.system(),
                "containerBytes", memory.container(),
                "javaHeapBytes", memory.java(),
                "jvmBytes", memory.jvm(),
                "peerBytes", memory.peers(),
                "pinnedBytes", memory.pinned(),
                "heapBytes", memory.heap(),
                "leftBytes", memory.left()),
            "settings",
            settings.stream().map(TuneReport::json).toList());
    job.ifPresent(facts -> object.put("job", json(facts)));
    return JsonText.of(object) + "\n";
  }

  private static Map<String, Object> json(Recommendation setting) {
    return JsonText.object(
        "key", setting.key(), "value", setting.value(), "reason", setting.reason());
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
        "sentences", new Assessment(facts).sentences(),
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
