// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import io.symshuffle.docs.GeneratedPage;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ConfigurationDocTest {
  @Test
  void pageListsEverySetting() throws IOException {
    GeneratedPage.assertUpToDate("configuration.md", ConfigurationDoc.markdown());
  }
}
