// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import io.symshuffle.benchmarks.workload.Suite;
import java.util.List;

/**
 * What a run of a suite measures.
 *
 * @param suite queries and tables
 * @param command the command as users type it, such as {@code bench tpcds}
 * @param scale the scale factor of the data
 * @param queries which queries, in their order
 * @param warmUps runs of each query before those that are timed
 * @param runs timed runs of each query on each manager
 * @param note what readers should know of this run; may be empty
 */
record SuitePlan(
    Suite suite,
    String command,
    double scale,
    List<String> queries,
    int warmUps,
    int runs,
    String note) {
  /** How the folder of this command is called. */
  String folderName() {
    return command.replace(' ', '-');
  }

  /** How the files of this command are called: its last word. */
  String fileName() {
    return command.substring(command.lastIndexOf(' ') + 1);
  }
}
