// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class TroubleshootingDocTest {
  // Tests run in the folder of their module.
  private static final Path FILE = Path.of("../docs/troubleshooting.md");

  @Test
  void thePageSaysWhatTheDoctorKnows() throws IOException {
    String page = TroubleshootingDoc.markdown(Checks.all());
    if (Boolean.getBoolean("symshuffle.docs.write")) {
      Files.writeString(FILE, page);
    }
    assertEquals(
        page,
        Files.readString(FILE),
        "docs/troubleshooting.md is not what the doctor's checks say; write it anew with: "
            + "mvn test -pl plugin -am -Dtest=TroubleshootingDocTest "
            + "-Dsurefire.failIfNoSpecifiedTests=false -Dsymshuffle.docs.write=true");
  }
}
