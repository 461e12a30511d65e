// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.site;

import static java.util.Objects.requireNonNull;

import io.symshuffle.benchmarks.report.HtmlTemplate;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * The folder {@code docs} as a static site: one HTML page per Markdown page, without scripts and
 * without files from other sites.
 */
public final class Site {
  /** The pages in the menu; they link to the others. */
  private static final List<String> MENU =
      List.of(
          "index.md",
          "getting-started.md",
          "configuration.md",
          "tuning.md",
          "hosts.md",
          "kubernetes.md",
          "yarn.md",
          "rapids.md",
          "operations.md",
          "troubleshooting.md",
          "comparison.md",
          "compatibility.md",
          "reliability.md",
          "security.md",
          "performance.md",
          "benchmarks/README.md",
          "architecture.md",
          "glossary.md");

  private record MenuEntry(String title, String path, String style) {}

  private final Path docs;
  private final Path out;

  /**
   * Creates a site without writing it.
   *
   * @param home the root of the source tree
   * @param out the site's folder; created if it does not exist, files in it are replaced
   */
  public Site(Path home, Path out) {
    this.docs = requireNonNull(home, "home is null").toAbsolutePath().normalize().resolve("docs");
    this.out = requireNonNull(out, "out is null");
  }

  /**
   * Writes the site.
   *
   * @return number of HTML pages
   * @throws IOException if a file cannot be read or written
   */
  public int build() throws IOException {
    int pages = 0;
    List<Path> files;
    try (Stream<Path> all = Files.walk(docs)) {
      files = all.filter(Files::isRegularFile).sorted().toList();
    }
    for (Path file : files) {
      String relative = docs.relativize(file).toString();
      Path target = out.resolve(renamed(relative));
      Files.createDirectories(requireNonNull(target.getParent(), "a page without a folder"));
      if (relative.endsWith(".md")) {
        Files.writeString(target, page(Page.read(file), relative));
        pages++;
      } else {
        Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
      }
    }
    try (InputStream css = requireNonNull(Site.class.getResourceAsStream("site.css"), "site.css")) {
      Files.copy(css, out.resolve("site.css"), StandardCopyOption.REPLACE_EXISTING);
    }
    return pages;
  }

  /** A README page becomes the index of its folder. */
  private static String renamed(String path) {
    return path.replaceFirst("README\\.md$", "index.md").replaceFirst("\\.md$", ".html");
  }

  private String page(Page page, String relative) throws IOException {
    adaptLinks(page);
    List<MenuEntry> menu = new ArrayList<>();
    for (String entry : MENU) {
      String title = Page.read(docs.resolve(entry)).title();
      menu.add(new MenuEntry(title, renamed(entry), entry.equals(relative) ? "here" : ""));
    }
    return HtmlTemplate.fill(
        Site.class,
        "page.html",
        Map.of(
            "title",
            page.title(),
            "up",
            "../".repeat((int) relative.chars().filter(c -> c == '/').count()),
            "menu",
            menu,
            "content",
            HtmlRenderer.builder().extensions(Page.EXTENSIONS).build().render(page.root())));
  }

  /**
   * Renames links to pages; links to files outside docs, which are not on the site, become text.
   */
  private void adaptLinks(Page page) {
    page.root()
        .accept(
            new AbstractVisitor() {
              @Override
              public void visit(Link link) {
                String to = link.getDestination();
                if (Page.isExternal(to) || to.startsWith("#")) {
                  return;
                }
                String path = to.replaceFirst("#.*", "");
                Path target = page.file().resolveSibling(path).normalize();
                if (!target.startsWith(docs)) {
                  unwrap(link);
                } else if (Files.isDirectory(target)) {
                  link.setDestination(listing(target, path));
                } else {
                  link.setDestination(renamed(path) + to.substring(path.length()));
                }
              }
            });
  }

  /** A link to a folder leads to the first page in it. */
  private static String listing(Path folder, String path) {
    String slash = path.endsWith("/") ? path : path + "/";
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".md"))
          .sorted()
          .findFirst()
          .map(name -> slash + renamed(name))
          .orElse(slash);
    } catch (IOException e) {
      return slash;
    }
  }

  private static void unwrap(Link link) {
    Node child = link.getFirstChild();
    while (child != null) {
      Node next = child.getNext();
      link.insertBefore(child);
      child = next;
    }
    link.unlink();
  }
}
