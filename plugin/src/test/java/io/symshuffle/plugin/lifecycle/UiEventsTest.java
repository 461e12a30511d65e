// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.plugin.ui.UsageEvent;
import io.symshuffle.plugin.usage.HeapUse;
import io.symshuffle.plugin.usage.ShuffleUse;
import io.symshuffle.plugin.usage.UsageReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.junit.jupiter.api.Test;

class UiEventsTest {
  private final List<SparkListenerEvent> events = new ArrayList<>();
  private final UiEvents ui = new UiEvents(events::add);

  @Test
  void postsOnlyWhatHasChanged() {
    UsageReport first = report("1", 1, 40);
    UsageReport other = report("2", 2, 40);
    UsageReport changed = report("1", 4, 41);
    UsageReport withShuffle = report("1", 6, 41, new ShuffleUse(3, List.of(), List.of(), 1, 2, 3));
    ui.used(first);
    ui.used(other);
    ui.used(report("1", 3, 40));
    ui.used(changed);
    ui.used(report("1", 5, 41));
    ui.used(withShuffle);
    ui.used(report("1", 7, 41));
    assertPosted(first, other, changed, withShuffle);
  }

  @Test
  void forgetsALostExecutor() {
    UsageReport first = report("1", 1, 40);
    UsageReport again = report("1", 2, 40);
    ui.used(first);
    ui.lost("1");
    ui.used(again);
    assertPosted(first, again);
  }

  private void assertPosted(UsageReport... reports) {
    List<UsageReport> posted = new ArrayList<>();
    for (SparkListenerEvent event : events) {
      if (event instanceof UsageEvent usage) {
        posted.add(usage.report());
      }
    }
    assertEquals(List.of(reports), posted);
  }

  private static UsageReport report(
      String executorId, long time, long usedBytes, ShuffleUse... shuffles) {
    HeapUse heap = new HeapUse(100, usedBytes, 50, 0, 0, 0, 0, Map.of());
    return new UsageReport(executorId, time, "", 0, heap, List.of(shuffles));
  }
}
