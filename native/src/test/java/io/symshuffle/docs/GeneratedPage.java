// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Compares a page of the documentation, or a part of one, with what its generator writes. */
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
            + "mvn -pl integration-tests -am test -Dtest='*DocTest' -Dsymshuffle.docs.write=true");
  }

  /**
   * As {@link #assertUpToDate}, for a part of a page, between two comments that name it.
   *
   * @param file name of the file in {@code docs}
   * @param name name of the part
   * @param part what it should contain
   */
  public static void assertPartUpToDate(String file, String name, String part) throws IOException {
    String page = Files.readString(Path.of("../docs", file));
    String start = "<!-- Generated: %s -->\n".formatted(name);
    int from = page.indexOf(start) + start.length();
    int to = page.indexOf("<!-- End of %s -->\n".formatted(name));
    assertTrue(
        from >= start.length() && to >= from,
        () -> "docs/%s has no part between the comments of %s".formatted(file, name));
    assertUpToDate(file, page.substring(0, from) + part + page.substring(to));
  }
}
