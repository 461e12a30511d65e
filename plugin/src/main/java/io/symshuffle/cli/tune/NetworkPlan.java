// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.symshuffle.cli.Recommendation;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How much of what is shuffled crosses the network of a cluster of several machines, and what that
 * means. The arithmetic and the measured rates are those of docs/hosts.md.
 *
 * @param rate of the network of a machine, if it is known
 */
record NetworkPlan(Layout layout, Optional<NetworkRate> rate) {
  /** With more bytes per second and core, no query of TPC-H waits for the network. */
  private static final double FAST = 100e6;

  /** With less, Zstandard pays: 13 % fewer bytes for twice the CPU time. */
  private static final double SLOW = 13e6;

  /** Bytes between hosts for each byte of sort shuffle with LZ4, for TPC-H. */
  private static final double BYTES_OF_ROWS = 0.59;

  /** The same for tables of the RAPIDS Accelerator and its multi-threaded manager. */
  private static final double BYTES_OF_TABLES = 0.62;

  /** Returns the plan; empty for a single machine. */
  static Optional<NetworkPlan> of(Layout layout, Optional<NetworkRate> rate) {
    return layout.nodes() == 1 ? Optional.empty() : Optional.of(new NetworkPlan(layout, rate));
  }

  /** Returns the share of shuffled bytes that another machine or pod reads, 0 to 1. */
  double share() {
    int memories = layout.kind().sharesMemory() ? layout.nodes() : layout.total();
    return (memories - 1.0) / memories;
  }

  private Optional<Double> perCore() {
    return rate.map(each -> each.bytesPerSecond() / layout.machine().cores());
  }

  /** Returns the sentences, with what to expect for an application if there is one. */
  List<String> sentences(Optional<JobFacts> job) {
    List<String> sentences = new ArrayList<>();
    sentences.add(
        "%s of what is shuffled crosses the network, in about %s of the bytes that sort shuffle sends; the rest is read in place."
            .formatted(percent(share()), Amounts.percent(ratio(layout.hasDeviceHeaps()))));
    perCore().ifPresent(bytes -> sentences.add(meaning(bytes)));
    job.filter(facts -> !facts.ranOnSymShuffle() && facts.sum().bytesWritten() > 0)
        .ifPresent(facts -> expect(sentences, facts));
    return sentences;
  }

  private String meaning(double bytesPerCore) {
    return String.format(
        Locale.ROOT,
        "%s of a machine is %.0f MB/s for each core: %s.",
        rate.orElseThrow(),
        bytesPerCore / 1e6,
        bytesPerCore >= FAST
            ? "the network is no bottleneck"
            : bytesPerCore >= SLOW
                ? "queries that do little else than shuffle wait for it"
                : "every query that shuffles waits for it, so fewer and larger machines gain most");
  }

  private void expect(List<String> sentences, JobFacts facts) {
    long before = bytesSent(facts);
    long after = (long) (before * ratio(facts.ranOnGpus()));
    sentences.add(
        "In this application each machine would send %s of the %s that were written%s; SymShuffle sends about %s of that, %s%s."
            .formatted(
                ByteSize.text(before),
                ByteSize.text(facts.sum().bytesWritten()),
                seconds(before),
                Amounts.percent(ratio(facts.ranOnGpus())),
                ByteSize.text(after),
                seconds(after)));
    if (!facts.ranOnGpus()) {
      sentences.add(
          "The times for the application and its queries are those of one machine. Of the %s that should at least be saved there, %s come from what is still read in place."
              .formatted(
                  Amounts.seconds(facts.prediction().expectedSaved()),
                  Amounts.seconds((1 - share()) * facts.prediction().expectedSaved())));
    }
  }

  private long bytesSent(JobFacts facts) {
    return (long) (share() * facts.sum().bytesWritten() / layout.nodes());
  }

  private static double ratio(boolean ofTables) {
    return ofTables ? BYTES_OF_TABLES : BYTES_OF_ROWS;
  }

  private String seconds(long bytes) {
    return rate.map(each -> " in " + Amounts.seconds(bytes / each.bytesPerSecond())).orElse("");
  }

  /** At least one decimal for shares that are close to all. */
  private static String percent(double share) {
    return String.format(Locale.ROOT, share > 0.95 ? "%.1f %%" : "%.0f %%", 100 * share);
  }

  /** Returns settings for several machines, and for a slow network. */
  List<Recommendation> settings() {
    List<Recommendation> settings = new ArrayList<>();
    settings.add(
        new Recommendation(
            "spark.shuffle.reduceLocality.enabled",
            "false",
            "Matters only if spark.locality.wait is raised again: reduce tasks would then wait for"
                + " a host that has 20 % of their input, while others are idle"));
    if (!layout.hasDeviceHeaps() && perCore().filter(bytes -> bytes < SLOW).isPresent()) {
      settings.add(
          new Recommendation(
              Settings.TRANSFER_COMPRESSION.key(),
              "zstd",
              "13 % fewer bytes than with lz4 for twice the CPU time, which pays on this network"));
    }
    return settings;
  }

  ObjectNode json(Optional<JobFacts> job) {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("crossingShare", share());
    rate.ifPresent(each -> json.put("bytesPerSecond", each.bytesPerSecond()));
    perCore().ifPresent(bytes -> json.put("bytesPerSecondAndCore", bytes));
    job.filter(facts -> !facts.ranOnSymShuffle())
        .ifPresent(
            facts ->
                json.put("sentBytesOfNode", bytesSent(facts))
                    .put(
                        "sentBytesOfNodeExpected",
                        (long) (bytesSent(facts) * ratio(facts.ranOnGpus()))));
    return json;
  }
}
