// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Compares a page of the documentation with what its generator writes. */
public final class GeneratedPage {
  private GeneratedPage() {}

  /**
   * Fails if the page is out of date; writes it first if {@code symshuffle.docs.write} is true.
   *
   * @param file name of the file in {@code docs}
   * @param page what it should contain
   */
  public static void assertUpToDate(String file, String page) throws IOException {
    // Tests run in the folder of their module.
    Path path = Path.of("../docs", file);
    if (Boolean.getBoolean("symshuffle.docs.write")) {
      Files.writeString(path, page);
    }
    assertEquals(
        page,
        Files.readString(path),
        "docs/%s is out of date. Regenerate it: ".formatted(file)
            + "mvn -pl plugin -am test -Dtest='*DocTest' -Dsymshuffle.docs.write=true");
  }
}
