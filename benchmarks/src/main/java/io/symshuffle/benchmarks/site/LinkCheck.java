// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.site;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Finds broken links in the tree's Markdown: to missing files, and to missing headings. Links to
 * other sites are not checked.
 */
public final class LinkCheck {
  private final Path home;

  /**
   * Creates a check.
   *
   * @param home the root of the source tree
   */
  public LinkCheck(Path home) {
    this.home = requireNonNull(home, "home is null").toAbsolutePath().normalize();
  }

  /**
   * Checks all pages.
   *
   * @return a sentence per broken link
   * @throws IOException if a page cannot be read
   */
  public List<String> findings() throws IOException {
    List<String> findings = new ArrayList<>();
    for (Path file : pages(home)) {
      Page page = Page.read(file);
      for (String link : page.links()) {
        if (!Page.isExternal(link)) {
          check(page, link, findings);
        }
      }
    }
    return findings;
  }

  private void check(Page page, String link, List<String> findings) throws IOException {
    int hash = link.indexOf('#');
    String path = hash < 0 ? link : link.substring(0, hash);
    String anchor = hash < 0 ? "" : link.substring(hash + 1);
    Path target =
        path.isEmpty()
            ? page.file()
            : page.file().resolveSibling(path).toAbsolutePath().normalize();
    String where = home.relativize(page.file()) + ": ";
    if (!target.startsWith(home) || !Files.exists(target)) {
      findings.add(where + link + " links to a file that does not exist");
    } else if (!anchor.isEmpty()
        && target.toString().endsWith(".md")
        && !Page.read(target).anchors().contains(anchor)) {
      findings.add(where + link + " links to a heading that does not exist");
    }
  }

  /** {@return all Markdown files in docs and in the root of the tree} */
  static List<Path> pages(Path home) throws IOException {
    List<Path> pages = new ArrayList<>();
    try (Stream<Path> docs = Files.walk(home.resolve("docs"));
        Stream<Path> top = Files.list(home)) {
      Stream.concat(docs, top)
          .filter(file -> Files.isRegularFile(file) && file.toString().endsWith(".md"))
          .sorted()
          .forEach(pages::add);
    }
    return pages;
  }
}
