// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import java.util.List;

/**
 * An application that ran, from its event log.
 *
 * @param manager its shuffle manager; empty for Spark's own
 * @param seconds from its start to its end, or to the last event
 * @param queries successful Spark SQL queries, in the order in which they ended
 * @param peakBytes bytes of rows that its largest query shuffled
 * @param maxPartitions largest number of partitions of a shuffle that was read
 * @param findings what its settings and input files cost, in sentences
 */
record JobFacts(
    String name,
    String sparkVersion,
    String manager,
    double seconds,
    List<StageFacts> stages,
    List<QueryRun> queries,
    long peakBytes,
    int maxPartitions,
    List<String> findings) {
  StageFacts sum() {
    return StageFacts.sum(stages);
  }

  /** Returns how much time SymShuffle could save in the whole application. */
  Prediction prediction() {
    return new Prediction(seconds, stages);
  }

  /** Returns whether RAPIDS ran at least one of its shuffles. */
  boolean ranOnGpus() {
    return sum().engineSeconds() > 0;
  }

  boolean ranOnSymShuffle() {
    return manager.contains("symshuffle");
  }
}
