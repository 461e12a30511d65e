// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ConfigurationDocTest {
  // Tests run in the folder of their module.
  private static final Path FILE = Path.of("../docs/configuration.md");

  @Test
  void thePageSaysWhatTheTableSays() throws IOException {
    if (Boolean.getBoolean("symshuffle.docs.write")) {
      Files.writeString(FILE, ConfigurationDoc.markdown());
    }
    assertEquals(
        ConfigurationDoc.markdown(),
        Files.readString(FILE),
        "docs/configuration.md is not what the table of settings says; write it anew with: "
            + "mvn test -pl plugin -am -Dtest=ConfigurationDocTest "
            + "-Dsurefire.failIfNoSpecifiedTests=false -Dsymshuffle.docs.write=true");
  }
}
