// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * One execution of a query of Spark SQL that succeeded, from an event log.
 *
 * @param name its description: what the application set as its job description, else the line of
 *     code that asked for the rows
 * @param seconds from its start to its end
 * @param stages those that ran for it
 */
record QueryRun(String name, double seconds, List<StageFacts> stages) {
  QueryRun {
    requireNonNull(name, "name is null");
    stages = List.copyOf(stages);
  }

  /** {@return seconds that the threads of its tasks had a core, together} */
  double cpuSeconds() {
    return StageFacts.sum(stages).cpuSeconds();
  }
}
