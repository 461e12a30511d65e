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
 * Finds links of the tree's Markdown that lead nowhere: to files that are not there, or to headings
 * that their page does not have. Links to other sites are not followed.
 */
public final class LinkCheck {
  private final Path home;

  /**
   * Prepares.
   *
   * @param home the root of the source tree
   */
  public LinkCheck(Path home) {
    this.home = requireNonNull(home, "home is null").toAbsolutePath().normalize();
  }

  /**
   * Looks at all pages.
   *
   * @return a sentence for each link that leads nowhere
   * @throws IOException if a page cannot be read
   */
  public List<String> findings() throws IOException {
    List<String> findings = new ArrayList<>();
    for (Path file : pages(home)) {
      Page page = Page.read(file);
      for (String link : page.links()) {
        if (!link.matches("[a-z][a-z0-9+.-]*:.*")) {
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
      findings.add(where + link + " leads to a file that is not there");
    } else if (!anchor.isEmpty()
        && target.toString().endsWith(".md")
        && !Page.read(target).anchors().contains(anchor)) {
      findings.add(where + link + " leads to a heading that is not there");
    }
  }

  /** {@return all Markdown that people read: docs and the pages beside the pom} */
  static List<Path> pages(Path home) throws IOException {
    List<Path> pages = new ArrayList<>();
    try (Stream<Path> docs = Files.walk(home.resolve("docs"));
        Stream<Path> beside = Files.list(home)) {
      Stream.concat(docs, beside)
          .filter(file -> Files.isRegularFile(file) && file.toString().endsWith(".md"))
          .sorted()
          .forEach(pages::add);
    }
    return pages;
  }
}
