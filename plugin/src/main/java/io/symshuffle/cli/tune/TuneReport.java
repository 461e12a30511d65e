// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.symshuffle.cli.ExpertSettings;
import io.symshuffle.cli.Recommendation;
import io.symshuffle.cli.Terminal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The command's output. As text it is a spark-defaults file with everything else in comments.
 *
 * @param layout the cluster that the settings are for
 * @param memory how the memory of a machine is divided
 * @param gpu how the memory of a GPU is divided, if it is known and tables stay there
 * @param network what crosses the network, if there are several machines
 * @param job the application whose log was read, if any
 */
record TuneReport(
    Layout layout,
    MemoryPlan memory,
    Optional<GpuPlan> gpu,
    Optional<NetworkPlan> network,
    Optional<JobFacts> job,
    List<Recommendation> settings) {
  private static final int WIDTH = 100;
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Of a cluster whose network is not known. */
  static TuneReport of(Layout layout, Optional<JobFacts> job) {
    return of(layout, Optional.empty(), job);
  }

  static TuneReport of(Layout layout, Optional<NetworkRate> rate, Optional<JobFacts> job) {
    OptionalLong needed =
        job.stream().mapToLong(JobFacts::peakBytes).filter(bytes -> bytes > 0).findFirst();
    MemoryPlan memory = MemoryPlan.of(layout, needed);
    Optional<GpuPlan> gpu = GpuPlan.of(layout, needed);
    Optional<NetworkPlan> network = NetworkPlan.of(layout, rate);
    List<Recommendation> settings =
        new ArrayList<>(new Advice(layout, memory, gpu, job).settings());
    network.ifPresent(plan -> settings.addAll(plan.settings()));
    return new TuneReport(layout, memory, gpu, network, job, settings);
  }

  String text() {
    StringBuilder text = new StringBuilder();
    comment(text, "Settings for " + layout + ".");
    text.append("#\n");
    memory.lines().forEach(line -> text.append("#   ").append(line).append('\n'));
    gpu.ifPresent(
        plan -> {
          text.append("#\n");
          plan.lines().forEach(line -> text.append("#   ").append(line).append('\n'));
        });
    if (layout.hasDeviceHeaps() && gpu.isEmpty()) {
      text.append("#\n");
      comment(
          text,
          "With --gpu-memory SIZE the memory of a GPU is divided, too; without it, RAPIDS chooses"
              + " how many tasks use a GPU at a time, and SymShuffle how many partitions there"
              + " are.");
    }
    job.ifPresent(facts -> assess(text, facts));
    if (layout.hasDeviceHeaps()) {
      text.append("#\n");
      comment(text, ExpertSettings.TOGETHER);
    }
    network.ifPresent(
        plan -> {
          text.append("#\n");
          plan.sentences(job).forEach(sentence -> comment(text, sentence));
        });
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
    facts.findings().forEach(finding -> comment(text, finding));
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
    text.append(Terminal.wrapped("# ", "# ", sentence, WIDTH + 1));
  }

  ObjectNode json() {
    ObjectNode json =
        JSON.createObjectNode()
            .put("cluster", layout.kind().toString())
            .put("nodes", layout.nodes())
            .put("executorsPerNode", layout.executors());
    json.set("machine", JSON.valueToTree(layout.machine()));
    json.putObject("memory")
        .put("systemBytes", memory.system())
        .put("containerBytes", memory.container())
        .put("javaHeapBytes", memory.java())
        .put("jvmBytes", memory.jvm())
        .put("peerBytes", memory.peers())
        .put("pinnedBytes", memory.pinned())
        .put("rapidsPinnedBytes", memory.rapids())
        .put("heapBytes", memory.heap())
        .put("leftBytes", memory.left());
    gpu.ifPresent(
        plan ->
            json.putObject("gpu")
                .put("heapBytes", plan.heap())
                .put("cudaBytes", plan.cuda())
                .put("reserveBytes", plan.reserve())
                .put("poolBytes", plan.pool())
                .put("tasks", plan.tasks()));
    network.ifPresent(plan -> json.set("network", plan.json(job)));
    json.set("settings", JSON.valueToTree(settings));
    job.ifPresent(facts -> json.set("job", json(facts)));
    return json;
  }

  private static ObjectNode json(JobFacts facts) {
    Prediction prediction = facts.prediction();
    StageFacts sum = facts.sum();
    ObjectNode json =
        JSON.createObjectNode()
            .put("name", facts.name())
            .put("seconds", facts.seconds())
            .put("taskSeconds", sum.taskSeconds())
            .put("shuffleRecords", sum.recordsWritten())
            .put("shuffleBytes", sum.heapBytes())
            .put("largestQueryBytes", facts.peakBytes())
            .put("recordedShuffleSeconds", prediction.recordedSeconds())
            .put("shuffleShare", prediction.shuffleShare())
            .put("savedAtMostSeconds", prediction.atMostSaved())
            .put("savedExpectedSeconds", prediction.expectedSaved());
    new Assessment(facts).sentences().forEach(json.putArray("sentences")::add);
    facts.findings().forEach(json.putArray("findings")::add);
    json.set("queries", JSON.valueToTree(QueryPrediction.ofAll(facts.queries())));
    return json;
  }
}
