// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.bootstrap;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The turns in which the executors of a machine choose among its GPUs, where Spark gives them none:
 * the first to join has turn 0, the next one turn 1, and one that takes a lost one's place has its
 * turn. By the kernel and not by the name, since workers of one machine may have several names.
 * Threads: any.
 */
final class GpuTurns {
  private record Turn(HostIdentity host, int number) {}

  @GuardedBy("this")
  private final Map<String, Turn> turns = new HashMap<>();

  /** The turn of an executor; the same however often it asks. */
  synchronized int take(String executorId, HostIdentity host) {
    Turn known = turns.get(executorId);
    if (known != null && known.host().equals(host)) {
      return known.number();
    }
    Set<Integer> taken =
        turns.values().stream()
            .filter(turn -> turn.host().equals(host) || turn.host().isSameMachine(host))
            .map(Turn::number)
            .collect(Collectors.toSet());
    int number = 0;
    while (taken.contains(number)) {
      number++;
    }
    turns.put(executorId, new Turn(host, number));
    return number;
  }

  /** The executor is gone. */
  synchronized void leave(String executorId) {
    turns.remove(executorId);
  }
}
