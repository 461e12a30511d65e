// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NetworkPlanTest {
  private static final long GIB = 1L << 30;
  private static final String LOCALITY = "spark.shuffle.reduceLocality.enabled false";

  /** 1 GiB written by sort shuffle; 10 s of tasks, of which 4 million records cost 0.92 s. */
  private static final JobFacts JOB =
      new JobFacts(
          "job",
          "4.2.0",
          "",
          10,
          List.of(new StageFacts(10, 10, 2, 0, 0, 4_000_000, 4_000_000, GIB, 3 * GIB)),
          List.of(),
          3 * GIB,
          64,
          List.of());

  @Test
  void oneMachineHasNoNetwork() {
    assertEquals(
        Optional.empty(), NetworkPlan.of(layout(ClusterKind.STANDALONE, 1, 0), rate("1gbit")));
  }

  @ParameterizedTest
  @CsvSource({
    "STANDALONE, 2, 0.5",
    "YARN, 10, 0.9",
    "KUBERNETES, 40, 0.975",
  })
  void allButWhatIsOnTheSameMachineCrosses(ClusterKind kind, int nodes, double share) {
    assertEquals(share, plan(kind, nodes, "10gbit").share(), 1e-9);
  }

  @Test
  void podsThatShareNoMemoryReadEachOthersBytesThroughTheNetworkToo() {
    Layout pods =
        Layout.of(
            ClusterKind.KUBERNETES,
            2,
            machine(0),
            OptionalLong.of(machine(0).memoryForExecutors() / 4));
    assertEquals(8, pods.total());
    assertEquals(7.0 / 8, NetworkPlan.of(pods, Optional.empty()).orElseThrow().share(), 1e-9);
  }

  /** The rows of the table in docs/hosts.md. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "100gbit | 391 MB/s for each core: the network is no bottleneck",
        "10gbit | 39 MB/s for each core: queries that do little else than shuffle wait for it",
        "1gbit | 4 MB/s for each core: every query that shuffles waits for it",
      })
  void saysWhoWaitsForTheNetwork(String rate, String meaning) {
    NetworkPlan plan = plan(ClusterKind.STANDALONE, 8, rate);
    String sentence = plan.sentences(Optional.empty()).get(1);
    assertTrue(sentence.startsWith(rate + " of a machine is " + meaning), sentence);
    assertEquals(
        rate.equals("1gbit")
            ? List.of(LOCALITY, "spark.symshuffle.transfer.compression zstd")
            : List.of(LOCALITY),
        settings(plan));
  }

  @Test
  void tablesOnGpusAreNotCompressedWithZstd() {
    NetworkPlan plan =
        NetworkPlan.of(layout(ClusterKind.STANDALONE, 8, 2), rate("1gbit")).orElseThrow();
    assertEquals(List.of(LOCALITY), settings(plan));
  }

  private static List<String> settings(NetworkPlan plan) {
    return plan.settings().stream().map(each -> each.key() + " " + each.value()).toList();
  }

  @Test
  void saysWhatToExpectForAnApplication() {
    List<String> sentences = plan(ClusterKind.STANDALONE, 4, "1gbit").sentences(Optional.of(JOB));
    assertEquals(4, sentences.size());
    assertEquals(
        "75 % of what is shuffled crosses the network, in about 59 % of the bytes that sort shuffle"
            + " sends; the rest is read in place.",
        sentences.get(0));
    // Three quarters of 1 GiB from four machines, at 125 MB/s.
    assertEquals(
        "In this application each machine would send 192.0 MiB of the 1.0 GiB that were written in"
            + " 1.6 s; SymShuffle sends about 59 % of that, 113.3 MiB in 1.0 s.",
        sentences.get(2));
    assertEquals(
        "The times for the application and its queries are those of one machine. Of the 0.9 s that"
            + " should at least be saved there, 0.2 s come from what is still read in place.",
        sentences.get(3));
    assertEquals(
        192 << 20,
        plan(ClusterKind.STANDALONE, 4, "1gbit")
            .json(Optional.of(JOB))
            .get("sentBytesOfNode")
            .asLong());
  }

  private static NetworkPlan plan(ClusterKind kind, int nodes, String rate) {
    return NetworkPlan.of(layout(kind, nodes, 0), rate(rate)).orElseThrow();
  }

  private static Optional<NetworkRate> rate(String rate) {
    return Optional.of(NetworkRate.parse(rate));
  }

  private static Layout layout(ClusterKind kind, int nodes, int gpus) {
    return Layout.of(kind, nodes, machine(gpus), OptionalLong.empty());
  }

  private static MachineFacts machine(int gpus) {
    return new MachineFacts(32, 256 * GIB, 128 * GIB, Collections.nCopies(gpus, "NVIDIA H200"), 0);
  }
}
