// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * An application that ran, from its event log.
 *
 * @param name of the application
 * @param sparkVersion with which it ran
 * @param manager its shuffle manager; empty for Spark's own
 * @param seconds from its start to its end, or to the last event
 * @param stages all that ran
 * @param queries of Spark SQL that succeeded, in the order of their ends
 * @param peakBytes largest sum of rows that one query put into shuffles
 * @param mostPartitions of any shuffle that was read
 * @param delegable whether it set something under which SymShuffle leaves shuffles to Spark
 */
record JobFacts(
    String name,
    String sparkVersion,
    String manager,
    double seconds,
    List<StageFacts> stages,
    List<QueryRun> queries,
    long peakBytes,
    int mostPartitions,
    Map<String, String> delegable) {
  JobFacts {
    stages = List.copyOf(stages);
    queries = List.copyOf(queries);
    delegable = new TreeMap<>(delegable);
  }

  StageFacts sum() {
    return StageFacts.sum(stages);
  }

  /** {@return what SymShuffle could take away from all of it} */
  Prediction prediction() {
    return new Prediction(seconds, stages);
  }

  boolean ranOnSymShuffle() {
    return manager.contains("symshuffle");
  }
}
