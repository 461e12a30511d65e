// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.record;

import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Events of Spark's listener bus during an action.
 *
 * @param tasks ended task attempts, in order
 * @param removedExecutors reasons by executor ID
 */
public record Recording<T>(
    T value, List<TaskRecord> tasks, NavigableMap<String, String> removedExecutors) {

  public Recording {
    tasks = List.copyOf(tasks);
    removedExecutors = new TreeMap<>(removedExecutors);
  }

  /** Returns metrics of the successful tasks. */
  public ShuffleTotals totals() {
    return totals(task -> true);
  }

  /** Returns metrics of the successful tasks of a stage, over all its attempts. */
  public ShuffleTotals totals(int stageId) {
    return totals(task -> task.stageId() == stageId);
  }

  /** Returns stages with at least one ended task, ascending. */
  public List<Integer> stages() {
    TreeSet<Integer> ids = new TreeSet<>();
    tasks.forEach(task -> ids.add(task.stageId()));
    return List.copyOf(ids);
  }

  /** Returns tasks that ended with a fetch failure. */
  public List<TaskRecord> fetchFailures() {
    return tasks.stream().filter(TaskRecord::failedToFetch).toList();
  }

  /** Returns tasks that did not succeed. */
  public List<TaskRecord> failures() {
    return tasks.stream().filter(task -> !task.succeeded()).toList();
  }

  private ShuffleTotals totals(Predicate<TaskRecord> which) {
    return tasks.stream()
        .filter(TaskRecord::succeeded)
        .filter(which)
        .map(TaskRecord::totals)
        .reduce(ShuffleTotals.ZERO, ShuffleTotals::plus);
  }
}
