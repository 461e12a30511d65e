// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.site;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Heading;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.renderer.html.AttributeProvider;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * The folder {@code docs} as a static site: one page a file, no scripts, nothing from elsewhere.
 */
public final class Site {
  /** The pages that the menu names; the others are reached through these. */
  private static final List<String> MENU =
      List.of(
          "index.md",
          "getting-started.md",
          "concepts.md",
          "configuration.md",
          "tuning.md",
          "performance.md",
          "ui.md",
          "metrics.md",
          "troubleshooting.md",
          "compatibility.md",
          "migration-ucx.md",
          "benchmarks/README.md",
          "architecture.md",
          "glossary.md");

  private final Path docs;
  private final Path out;

  /**
   * Prepares.
   *
   * @param home the root of the source tree
   * @param out the site's folder; made, its files replaced
   */
  public Site(Path home, Path out) {
    this.docs = requireNonNull(home, "home is null").toAbsolutePath().normalize().resolve("docs");
    this.out = requireNonNull(out, "out is null");
  }

  /**
   * Writes the site.
   *
   * @return number of pages
   * @throws IOException if something cannot be read or written
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
        Files.writeString(target, html(Page.read(file), relative));
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

  /** README pages are the index of their folder. */
  private static String renamed(String path) {
    return path.replaceFirst("README\\.md$", "index.md").replaceFirst("\\.md$", ".html");
  }

  private String html(Page page, String relative) throws IOException {
    mendLinks(page);
    Deque<String> anchors = new ArrayDeque<>(page.anchors());
    HtmlRenderer renderer =
        HtmlRenderer.builder()
            .extensions(List.of(TablesExtension.create()))
            .attributeProviderFactory(context -> headings(anchors))
            .build();
    String up = "../".repeat((int) relative.chars().filter(c -> c == '/').count());
    return """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>%s - SymShuffle</title>
    <link rel="stylesheet" href="%ssite.css">
    </head>
    <body>
    <nav>%s</nav>
    <main>
    %s</main>
    </body>
    </html>
    """
        .formatted(escaped(page.title()), up, menu(up, relative), renderer.render(page.root()));
  }

  private String menu(String up, String current) throws IOException {
    StringBuilder menu = new StringBuilder();
    for (String entry : MENU) {
      Path file = docs.resolve(entry);
      menu.append(
          "<a href=\"%s%s\"%s>%s</a>"
              .formatted(
                  up,
                  renamed(entry),
                  entry.equals(current) ? " class=\"here\"" : "",
                  escaped(Page.read(file).title())));
    }
    return menu.toString();
  }

  /** What lies beside docs in the tree is not on the site: the text stays, the link goes. */
  private void mendLinks(Page page) {
    page.root()
        .accept(
            new AbstractVisitor() {
              @Override
              public void visit(Link link) {
                String to = link.getDestination();
                if (to.matches("[a-z][a-z0-9+.-]*:.*") || to.startsWith("#")) {
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

  /** A folder has no page of its own: its first file stands for it. */
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

  private static AttributeProvider headings(Deque<String> anchors) {
    return (Node node, String tag, Map<String, String> attributes) -> {
      if (node instanceof Heading && !anchors.isEmpty()) {
        attributes.put("id", anchors.poll());
      }
    };
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;");
  }
}
