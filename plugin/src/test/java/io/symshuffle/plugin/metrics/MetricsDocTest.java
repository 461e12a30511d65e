// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.metrics;

import io.symshuffle.docs.GeneratedPage;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class MetricsDocTest {
  @Test
  void pageListsEveryMetric() throws IOException {
    GeneratedPage.assertPartUpToDate("operations.md", "metrics", MetricsDoc.markdown());
  }
}
