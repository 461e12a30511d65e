// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Decides whose map outputs outlive their executor. A lost executor's heap stays where it is, so
 * its map outputs are kept as long as every executor that the application still has sees the folder
 * that they lie in. As soon as one does not, all of them are given up: any stage may have a task
 * there, and one task that cannot read costs as much as if they were gone for all.
 *
 * <p>Knows no Spark. Thread-safe.
 */
final class KeptOutputs {
  /** The folders of the executors that are there and have told theirs. */
  @GuardedBy("this")
  private final Map<String, String> living = new HashMap<>();

  /** The folders of lost executors whose map outputs are kept. */
  @GuardedBy("this")
  private final Map<String, String> kept = new HashMap<>();

  /**
   * An executor says where its heap lies.
   *
   * @param folder the folder's identity; empty if it has no heap or does not know
   * @return the lost executors whose map outputs have to be given up now
   */
  synchronized Set<String> reported(String executorId, String folder) {
    living.put(
        requireNonNull(executorId, "executorId is null"), requireNonNull(folder, "folder is null"));
    return givenUp();
  }

  /**
   * An executor is lost. Spark may say so twice of the same: when a decommissioned executor says
   * goodbye, and when its process has ended.
   *
   * @return the lost executors whose map outputs have to be given up now; it may be one of them
   */
  synchronized Set<String> lost(String executorId) {
    if (kept.containsKey(requireNonNull(executorId, "executorId is null"))) {
      return Set.of();
    }
    String folder = living.remove(executorId);
    if (folder == null || folder.isEmpty()) {
      return Set.of(executorId);
    }
    kept.put(executorId, folder);
    return givenUp();
  }

  @GuardedBy("this")
  private Set<String> givenUp() {
    Set<String> givenUp = new TreeSet<>();
    kept.forEach(
        (executorId, folder) -> {
          if (living.values().stream().anyMatch(other -> !other.equals(folder))) {
            givenUp.add(executorId);
          }
        });
    kept.keySet().removeAll(givenUp);
    return givenUp;
  }
}
