// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The turns in which the executors of a machine choose among its GPUs where Spark assigns none. The
 * first to join has turn 0, the next one turn 1; the successor of a lost executor gets its turn.
 * Two hosts with the same kernel are the same machine, since one machine may have several names.
 * Thread-safe.
 */
final class GpuTurns {
  private record Turn(HostIdentity host, int number) {}

  @GuardedBy("this")
  private final Map<String, Turn> turns = new HashMap<>();

  /** Returns the turn of an executor, always the same until it leaves. */
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

  /** Frees the turn of an executor that is gone. */
  synchronized void leave(String executorId) {
    turns.remove(executorId);
  }
}
