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
  void documentationHasNoBrokenLinks() throws IOException {
    assertEquals(List.of(), new LinkCheck(HOME).findings());
  }

  @Test
  void siteHasAllPagesAndNoBrokenLinks() throws IOException {
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
  void findsLinksToMissingFilesAndHeadings() throws IOException {
    Files.createDirectories(folder.resolve("docs"));
    Files.writeString(
        folder.resolve("docs/a.md"),
        "# A page\n\n[b](b.md) [c](c.md) [here](#a-page) [no](#nowhere) [out](https://x.org/)\n");
    Files.writeString(folder.resolve("docs/b.md"), "# B\n\n[x](a.md#a-page) [y](a.md#b)\n");
    assertEquals(
        List.of(
            "docs/a.md: c.md links to a file that does not exist",
            "docs/a.md: #nowhere links to a heading that does not exist",
            "docs/b.md: a.md#b links to a heading that does not exist"),
        new LinkCheck(folder).findings());
  }

  @Test
  void anchorsAreThoseOfGitHub() throws IOException {
    Path page = folder.resolve("page.md");
    Files.writeString(
        page, "# A map task\n## `spark.symshuffle.heap.dir`\n# Spark's settings\n# A map task\n");
    assertEquals(
        List.of("a-map-task", "sparksymshuffleheapdir", "sparks-settings", "a-map-task-1"),
        Page.read(page).anchors());
  }
}
