// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Numbers the executors of a machine, which choose among its GPUs in this order where Spark assigns
 * none. The first to join has rank 0, the next one 1; the successor of a lost executor gets its
 * rank. Two hosts with the same kernel are the same machine, since one machine may have several
 * names. Thread-safe.
 */
final class LocalRanks {
  private record Rank(HostIdentity host, int number) {}

  @GuardedBy("this")
  private final Map<String, Rank> ranks = new HashMap<>();

  /** Returns the rank of an executor, always the same until it leaves. */
  synchronized int take(String executorId, HostIdentity host) {
    Rank known = ranks.get(executorId);
    if (known != null && known.host().equals(host)) {
      return known.number();
    }
    Set<Integer> taken =
        ranks.values().stream()
            .filter(rank -> rank.host().equals(host) || rank.host().isSameMachine(host))
            .map(Rank::number)
            .collect(Collectors.toSet());
    int number = 0;
    while (taken.contains(number)) {
      number++;
    }
    ranks.put(executorId, new Rank(host, number));
    return number;
  }

  /** Frees the rank of an executor that is gone. */
  synchronized void leave(String executorId) {
    ranks.remove(executorId);
  }
}
