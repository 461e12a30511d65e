// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.plugin.usage.HeapUse;
import io.symshuffle.plugin.usage.UsageReport;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PageContentTest {
  @ParameterizedTest
  @CsvSource({"40, 600, true", "40, 40, false", "40, 0, false"})
  void showsMemoryThatIsKeptButNotUsed(long used, long backed, boolean shown) {
    UiState state = new UiState();
    state.apply(new PeEvent(1, "3", 0, "host", PeEvent.JOINED, 0, "", ""));
    HeapUse heap = new HeapUse(1000, used, backed, 0, 0, 0, 0, Map.of());
    state.apply(new UsageReport("3", 2000, "", 0, heap, List.of()));
    String html = new PageContent(state.snapshot()).html();
    assertTrue(html.contains("40 B of 1000 B"), html);
    assertTrue(html.contains("560 B more, free, kept for reuse") == shown, html);

    state.apply(new PeEvent(9000, "3", -1, "", PeEvent.LOST, 0, "", "killed"));
    assertFalse(new PageContent(state.snapshot()).html().contains("kept for reuse"), html);
  }
}
