// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links of the documentation lead to files and headings that exist. Other sites are not asked. */
class LinksTest {
  private static final Path TREE = Path.of("..").toAbsolutePath().normalize();

  private static final Pattern LINK = Pattern.compile("\\]\\(<?([^)\\s>]+)>?(?: \"[^\"]*\")?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?) *#*$");
  private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^ *(```+|~~~+).*?^ *\\1`*~* *$");
  private static final Pattern CODE = Pattern.compile("(?s)(`+)(?!`).+?(?<!`)\\1(?!`)");

  @TempDir private Path folder;

  @Test
  void documentationHasNoBrokenLinks() throws IOException {
    assertEquals(List.of(), brokenLinks(TREE));
    long links = 0;
    for (Path page : pages(TREE)) {
      links += links(page).size();
    }
    assertTrue(links > 100, links + " links");
  }

  @Test
  void findsLinksToMissingFilesAndHeadings() throws IOException {
    Files.createDirectories(folder.resolve("docs"));
    Files.writeString(
        folder.resolve("docs/a.md"),
        """
        # A page

        [b](b.md) [c](c.md) `[d](d.md)` [`x`
        y](#a-page) [no](#nowhere) [out](https://x.org/)
        """);
    Files.writeString(
        folder.resolve("docs/b.md"),
        """
        # B

        ```bash
        # A page
        [e](e.md)
        ```

        [x](a.md#a-page) [y](a.md#b)
        """);
    assertEquals(
        List.of(
            "docs/a.md: c.md links to a file that does not exist",
            "docs/a.md: #nowhere links to a heading that does not exist",
            "docs/b.md: a.md#b links to a heading that does not exist"),
        brokenLinks(folder));
  }

  private static List<String> brokenLinks(Path tree) throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : pages(tree)) {
      for (String link : links(page)) {
        if (!link.matches("[a-z][a-z0-9+.-]*:.*")) {
          String problem = problem(tree, page, link);
          if (!problem.isEmpty()) {
            broken.add(tree.relativize(page) + ": " + link + " links to " + problem);
          }
        }
      }
    }
    return broken;
  }

  private static String problem(Path tree, Path page, String link) throws IOException {
    String[] parts = link.split("#", 2);
    Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
    if (!target.startsWith(tree) || !Files.exists(target)) {
      return "a file that does not exist";
    }
    return parts.length == 2
            && target.toString().endsWith(".md")
            && !anchors(target).contains(parts[1])
        ? "a heading that does not exist"
        : "";
  }

  /** All Markdown files in docs and in the root of the tree. */
  private static List<Path> pages(Path tree) throws IOException {
    try (Stream<Path> docs = Files.walk(tree.resolve("docs"));
        Stream<Path> top = Files.list(tree)) {
      return Stream.concat(docs, top)
          .filter(file -> Files.isRegularFile(file) && file.toString().endsWith(".md"))
          .sorted()
          .toList();
    }
  }

  private static List<String> links(Path page) throws IOException {
    String text = CODE_BLOCK.matcher(Files.readString(page)).replaceAll("");
    return LINK.matcher(CODE.matcher(text).replaceAll("code"))
        .results()
        .map(link -> link.group(1))
        .toList();
  }

  private static List<String> anchors(Path page) throws IOException {
    Map<String, Integer> seen = new HashMap<>();
    String text = CODE_BLOCK.matcher(Files.readString(page)).replaceAll("");
    return HEADING.matcher(text).results().map(heading -> anchor(heading, seen)).toList();
  }

  private static String anchor(MatchResult heading, Map<String, Integer> seen) {
    String anchor =
        heading
            .group(1)
            .replaceAll("\\]\\([^)]*\\)", "")
            .toLowerCase(Locale.ROOT)
            .replaceAll("[^\\p{L}\\p{N} _-]", "")
            .replace(' ', '-');
    int earlier = seen.merge(anchor, 1, Integer::sum) - 1;
    return earlier == 0 ? anchor : anchor + "-" + earlier;
  }
}
