// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.docs.GeneratedPage;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class TroubleshootingDocTest {
  @Test
  void pageListsEveryKnownProblem() throws IOException {
    GeneratedPage.assertUpToDate("troubleshooting.md", TroubleshootingDoc.markdown(Report.CHECKS));
  }
}
