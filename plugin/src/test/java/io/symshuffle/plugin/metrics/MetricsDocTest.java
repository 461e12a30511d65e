// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MetricsDocTest {
  // Tests run in the folder of their module.
  private static final Path FILE = Path.of("../docs/metrics.md");

  @Test
  void thePageSaysWhatTheTablesSay() throws IOException {
    if (Boolean.getBoolean("symshuffle.docs.write")) {
      Files.writeString(FILE, MetricsDoc.markdown());
    }
    assertEquals(
        MetricsDoc.markdown(),
        Files.readString(FILE),
        "docs/metrics.md is not what the tables of metrics say; write it anew with: "
            + "mvn -pl plugin -am test -Dtest=MetricsDocTest -Dsymshuffle.docs.write=true");
  }
}
