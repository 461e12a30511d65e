// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.plugin.usage.HeapUse;
import io.symshuffle.plugin.usage.UsageReport;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Adds up what the executors report, so that the driver's metrics describe the whole application.
 * Keeps one entry for each executor of the application. Thread-safe.
 */
public final class UsageTotals implements MembershipListener {
  @GuardedBy("this")
  private final Map<String, HeapUse> reported = new HashMap<>();

  /** Their last reports may arrive after they are lost. */
  @GuardedBy("this")
  private final Set<String> lost = new HashSet<>();

  @Override
  public synchronized void joined(Member member) {
    lost.remove(member.executorId());
  }

  @Override
  public synchronized void used(UsageReport report) {
    reported.put(report.executorId(), report.heap());
  }

  @Override
  public synchronized void lost(String executorId) {
    lost.add(executorId);
  }

  /** Returns what all executors have done, and what those hold that are not lost. */
  public synchronized HeapUse total() {
    HeapUse total = HeapUse.NONE;
    for (Map.Entry<String, HeapUse> each : reported.entrySet()) {
      HeapUse use = each.getValue();
      total = total.plus(lost.contains(each.getKey()) ? use.afterEnd() : use);
    }
    return total;
  }
}
