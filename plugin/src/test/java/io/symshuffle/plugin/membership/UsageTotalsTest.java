// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.plugin.usage.HeapUse;
import io.symshuffle.plugin.usage.UsageReport;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UsageTotalsTest {
  private final UsageTotals totals = new UsageTotals();

  @Test
  void addsTheLastReportsOfAllExecutors() {
    assertEquals(HeapUse.NONE, totals.total());
    report("1", new HeapUse(9, 9, 9, 9, 9, 9, 9, Map.of("DAMAGED", 9L)));
    report("1", new HeapUse(1, 2, 3, 4, 5, 6, 7, Map.of("DAMAGED", 8L)));
    report("2", new HeapUse(10, 20, 30, 40, 50, 60, 70, Map.of("DAMAGED", 80L)));
    assertEquals(new HeapUse(11, 22, 33, 44, 55, 66, 77, Map.of("DAMAGED", 88L)), totals.total());
  }

  @Test
  void keepsOnlyTheCountersOfALostExecutor() {
    report("1", new HeapUse(1, 2, 3, 4, 5, 6, 7, Map.of("DAMAGED", 8L)));
    report("2", new HeapUse(10, 20, 30, 40, 50, 60, 70, Map.of("DAMAGED", 80L)));
    totals.lost("1");
    assertEquals(new HeapUse(10, 20, 30, 40, 50, 66, 77, Map.of("DAMAGED", 88L)), totals.total());
  }

  @Test
  void countsTheLastReportThatArrivesAfterTheLoss() {
    report("1", new HeapUse(1, 2, 3, 4, 5, 6, 7, Map.of("DAMAGED", 8L)));
    totals.lost("1");
    report("1", new HeapUse(1, 2, 3, 4, 5, 16, 17, Map.of("DAMAGED", 18L)));
    assertEquals(new HeapUse(0, 0, 0, 0, 0, 16, 17, Map.of("DAMAGED", 18L)), totals.total());
  }

  @Test
  void countsAnExecutorThatJoinsAgain() {
    report("1", new HeapUse(1, 2, 3, 4, 5, 6, 7, Map.of("DAMAGED", 8L)));
    totals.lost("1");
    totals.joined(new Member("1", 0, HostIdentity.local("host"), "", Member.State.JOINED, 3));
    assertEquals(new HeapUse(1, 2, 3, 4, 5, 6, 7, Map.of("DAMAGED", 8L)), totals.total());
  }

  private void report(String executorId, HeapUse use) {
    totals.used(new UsageReport(executorId, 0, "", 0, use, List.of()));
  }
}
