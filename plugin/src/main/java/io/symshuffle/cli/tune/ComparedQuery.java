// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import static java.util.Objects.requireNonNull;

/**
 * What was predicted for a query beside what came of it.
 *
 * @param prediction from the log of the runs with sort shuffle
 * @param clock time on the clock of who asked for the rows
 * @param cores time that the threads of tasks had a core, which other work on the machine stretches
 *     much less
 */
record ComparedQuery(QueryPrediction prediction, Bounds clock, Bounds cores) {
  ComparedQuery {
    requireNonNull(prediction, "prediction is null");
    requireNonNull(clock, "clock is null");
    requireNonNull(cores, "cores is null");
  }
}
