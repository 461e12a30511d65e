// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;
import java.util.OptionalDouble;

/**
 * One piece of work on all managers.
 *
 * @param name what was done
 * @param entries one for each manager, the one to beat first
 * @param difference how results differ; empty if they are the same
 * @param tied whether a limit cut through rows that tie in the order, and the results were compared
 *     without it
 */
public record Outcome(String name, List<Entry> entries, String difference, boolean tied) {
  /** Whether all managers that succeeded gave the same rows. */
  @JsonIgnore
  public boolean same() {
    return difference.isEmpty();
  }

  /** Whether every manager succeeded. */
  @JsonIgnore
  public boolean succeeded() {
    return entries.stream().allMatch(Entry::succeeded);
  }

  /** Whether every manager failed, and with the same message: then the work is to blame. */
  @JsonIgnore
  public boolean failedAlike() {
    return entries.stream().noneMatch(Entry::succeeded)
        && entries.stream()
                // Messages name jobs, stages and tasks by numbers.
                .map(entry -> entry.failure().replaceAll("\\d+", "0"))
                .distinct()
                .count()
            == 1;
  }

  /** How many times faster a manager was than the first; empty if one of the two failed. */
  public OptionalDouble speedUp(int manager) {
    Entry base = entries.getFirst();
    Entry entry = entries.get(manager);
    return base.succeeded() && entry.succeeded()
        ? OptionalDouble.of(base.median() / entry.median())
        : OptionalDouble.empty();
  }
}
