// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.site;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.ext.heading.anchor.IdGenerator;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;

/**
 * A parsed Markdown page.
 *
 * @param file where it is
 * @param root its syntax tree
 * @param anchors IDs of its headings, in order, as on GitHub
 * @param links destinations of its links and images, as written
 */
record Page(Path file, Node root, List<String> anchors, List<String> links) {
  /** The extensions of CommonMark that the pages use. */
  static final List<Extension> EXTENSIONS =
      List.of(TablesExtension.create(), HeadingAnchorExtension.create());

  private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();

  Page {
    requireNonNull(file, "file is null");
    requireNonNull(root, "root is null");
    anchors = List.copyOf(anchors);
    links = List.copyOf(links);
  }

  static Page read(Path file) throws IOException {
    Node root = PARSER.parse(Files.readString(file));
    IdGenerator ids = IdGenerator.builder().build();
    List<String> anchors = new ArrayList<>();
    List<String> links = new ArrayList<>();
    root.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Heading heading) {
            anchors.add(ids.generateId(text(heading)));
            visitChildren(heading);
          }

          @Override
          public void visit(Link link) {
            links.add(link.getDestination());
            visitChildren(link);
          }

          @Override
          public void visit(Image image) {
            links.add(image.getDestination());
            visitChildren(image);
          }
        });
    return new Page(file, root, anchors, links);
  }

  /** Whether a link names another site rather than a file. */
  static boolean isExternal(String link) {
    return link.matches("[a-z][a-z0-9+.-]*:.*");
  }

  /** {@return the first heading's text, or the file's name} */
  String title() {
    for (Node node = root.getFirstChild(); node != null; node = node.getNext()) {
      if (node instanceof Heading heading) {
        return text(heading);
      }
    }
    return String.valueOf(file.getFileName());
  }

  private static String text(Node node) {
    StringBuilder text = new StringBuilder();
    node.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Text part) {
            text.append(part.getLiteral());
          }

          @Override
          public void visit(Code part) {
            text.append(part.getLiteral());
          }
        });
    return text.toString();
  }
}
