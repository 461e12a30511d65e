// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.site;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;

/**
 * A page of Markdown, read.
 *
 * @param file where it lies
 * @param root its tree
 * @param anchors of its headings, in their order, as code hosts name them
 * @param links that it has, pictures included, as they are written
 */
record Page(Path file, Node root, List<String> anchors, List<String> links) {
  private static final Parser PARSER =
      Parser.builder().extensions(List.of(TablesExtension.create())).build();

  Page {
    requireNonNull(file, "file is null");
    requireNonNull(root, "root is null");
    anchors = List.copyOf(anchors);
    links = List.copyOf(links);
  }

  static Page read(Path file) throws IOException {
    Node root = PARSER.parse(Files.readString(file));
    List<String> anchors = new ArrayList<>();
    List<String> links = new ArrayList<>();
    Map<String, Integer> seen = new HashMap<>();
    root.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Heading heading) {
            String anchor = anchor(text(heading));
            int before = seen.merge(anchor, 1, Integer::sum) - 1;
            anchors.add(before == 0 ? anchor : anchor + "-" + before);
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

  /** {@return the first heading's text, or the file's name} */
  String title() {
    for (Node node = root.getFirstChild(); node != null; node = node.getNext()) {
      if (node instanceof Heading heading) {
        return text(heading);
      }
    }
    return String.valueOf(file.getFileName());
  }

  static String anchor(String heading) {
    return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
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
