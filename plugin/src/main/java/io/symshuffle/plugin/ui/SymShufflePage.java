// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.WebUIPage;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.xml.Node;
import scala.xml.Unparsed;

/** The tab's only page: {@link PageContent} with Spark's header. */
final class SymShufflePage extends WebUIPage {
  private final SparkUITab tab;
  private final Supplier<Snapshot> snapshot;

  SymShufflePage(SparkUITab tab, Supplier<Snapshot> snapshot) {
    super("");
    this.tab = tab;
    this.snapshot = snapshot;
  }

  @Override
  public Seq<Node> render(HttpServletRequest request) {
    Seq<Node> content =
        CollectionConverters.asScala(
                List.<Node>of(new Unparsed(new PageContent(snapshot.get()).html())))
            .toSeq();
    return SparkPage.render(request, "SymShuffle", content, tab);
  }
}
