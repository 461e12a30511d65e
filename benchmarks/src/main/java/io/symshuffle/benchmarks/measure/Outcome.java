// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The results of all managers.
 *
 * @param entries one per manager, baseline first
 * @param difference how results differ; empty if they are the same
 * @param tied whether rows tied at the limit, so that results were compared without it
 * @param runsPerStart timed runs of each start of an application
 */
public record Outcome(
    String name,
    List<Entry> entries,
    String difference,
    boolean tied,
    @JsonIgnore int runsPerStart) {
  /** Returns whether all managers that succeeded returned the same rows. */
  @JsonIgnore
  public boolean same() {
    return difference.isEmpty();
  }

  /** Returns how results differ, and why managers failed. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (!same()) {
      problems.add(difference);
    }
    entries.stream()
        .filter(Entry::failed)
        .forEach(entry -> problems.add(entry.manager() + ": " + entry.failure()));
    return problems;
  }

  /** Returns whether all managers succeeded. */
  @JsonIgnore
  public boolean succeeded() {
    return entries.stream().allMatch(Entry::succeeded);
  }

  /** Returns whether a manager failed. */
  @JsonIgnore
  public boolean failed() {
    return entries.stream().anyMatch(Entry::failed);
  }

  /** Returns whether all managers failed with the same message, so that the work is the cause. */
  @JsonIgnore
  public boolean failedAlike() {
    return entries.stream().allMatch(Entry::failed)
        && entries.stream()
                // Messages contain numbers of jobs, stages and tasks.
                .map(entry -> entry.failure().replaceAll("\\d+", "0"))
                .distinct()
                .count()
            == 1;
  }

  /** Returns the runs of a manager and of the baseline; empty unless both succeeded. */
  public Optional<Gain.Runs> runs(int manager) {
    Entry base = entries.getFirst();
    Entry entry = entries.get(manager);
    return base.succeeded() && entry.succeeded()
        ? Optional.of(new Gain.Runs(base.seconds(), entry.seconds(), runsPerStart))
        : Optional.empty();
  }
}
