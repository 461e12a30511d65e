// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.TrackedOutputs;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the map outputs of lost executors out of Spark's table where nobody can read them any more,
 * since Spark was told to leave that to us. Those of the sort shuffle always go, as without us.
 */
final class LostOutputs {
  private static final Logger LOG = LoggerFactory.getLogger(LostOutputs.class);

  /** The way to Spark's table. */
  @FunctionalInterface
  interface Table {
    /**
     * Takes out map outputs of an executor.
     *
     * @param ours of the shuffles that are ours, or of those that are the sort shuffle's
     * @return how many there were
     */
    int unregister(String executorId, boolean ours);
  }

  private final KeptOutputs keptOutputs;
  private final Table table;

  LostOutputs(KeptOutputs keptOutputs, Table table) {
    this.keptOutputs = requireNonNull(keptOutputs, "keptOutputs is null");
    this.table = requireNonNull(table, "table is null");
  }

  /** With Spark's own table. */
  static LostOutputs ofSpark() {
    return new LostOutputs(
        new KeptOutputs(),
        (executorId, ours) ->
            TrackedOutputs.unregister(executorId, id -> TrackedOutputs.isOurs(id) == ours));
  }

  /** An executor says in which folder its heap lies; see {@link KeptOutputs#reported}. */
  void reported(String executorId, String folder) {
    giveUp(keptOutputs.reported(executorId, folder));
  }

  /** An executor is lost. */
  void lost(String executorId) {
    int files = table.unregister(executorId, false);
    if (files > 0) {
      LOG.info(
          "{} map outputs of the sort shuffle went with executor {}; Spark computes them again"
              + " when they are needed",
          files,
          executorId);
    }
    giveUp(keptOutputs.lost(executorId));
  }

  private void giveUp(Set<String> executorIds) {
    for (String executorId : executorIds) {
      int outputs = table.unregister(executorId, true);
      if (outputs > 0) {
        LOG.info(
            "{} map outputs in the heap of executor {}, which is lost, are out of reach of other"
                + " executors; Spark computes them again when they are needed",
            outputs,
            executorId);
      }
    }
  }
}
