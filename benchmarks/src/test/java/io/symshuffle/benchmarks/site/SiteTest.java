// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.site;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SiteTest {
  // Tests run in the folder of their module.
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern TARGET = Pattern.compile("(?:href|src)=\"([^\"#:]+)(?:#[^\"]*)?\"");

  @TempDir private Path folder;

  @Test
  void noLinkOfOursLeadsNowhere() throws IOException {
    assertEquals(List.of(), new LinkCheck(HOME).findings());
  }

  @Test
  void theSiteHasEveryPageAndNoLinkOfItLeadsNowhere() throws IOException {
    int pages = new Site(HOME, folder).build();
    List<String> dead = new ArrayList<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".html")).toList()) {
        Matcher links = TARGET.matcher(Files.readString(file));
        while (links.find()) {
          if (!Files.exists(file.resolveSibling(links.group(1)))) {
            dead.add(folder.relativize(file) + ": " + links.group(1));
          }
        }
      }
    }
    assertAll(
        () -> assertTrue(pages > 10, pages + " pages"),
        () -> assertEquals(List.of(), dead),
        () -> assertTrue(Files.exists(folder.resolve("index.html"))));
  }

  @Test
  void linksThatLeadNowhereAreFound() throws IOException {
    Files.createDirectories(folder.resolve("docs"));
    Files.writeString(
        folder.resolve("docs/a.md"),
        "# A page\n\n[b](b.md) [c](c.md) [here](#a-page) [no](#nowhere) [out](https://x.org/)\n");
    Files.writeString(folder.resolve("docs/b.md"), "# B\n\n[x](a.md#a-page) [y](a.md#b)\n");
    assertEquals(
        List.of(
            "docs/a.md: c.md leads to a file that is not there",
            "docs/a.md: #nowhere leads to a heading that is not there",
            "docs/b.md: a.md#b leads to a heading that is not there"),
        new LinkCheck(folder).findings());
  }

  @Test
  void anchorsAreThoseOfCodeHosts() {
    assertAll(
        () -> assertEquals("a-map-task", Page.anchor("A map task")),
        () -> assertEquals("sparksymshuffleheapdir", Page.anchor("spark.symshuffle.heap.dir")),
        () -> assertEquals("sparks-settings", Page.anchor("Spark's settings")));
  }
}
