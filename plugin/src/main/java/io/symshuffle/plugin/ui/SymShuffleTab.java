// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.SparkContext;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.WebUIPage;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.xml.Node;
import scala.xml.Unparsed;

/** The tab SymShuffle in Spark's UI. */
public final class SymShuffleTab extends SparkUITab {
  private SymShuffleTab(SparkUI ui, Supplier<Snapshot> snapshot) {
    super(ui, "symshuffle");
    attachPage(new Page(snapshot));
  }

  /** The only page: {@link PageContent} with Spark's header. */
  private final class Page extends WebUIPage {
    private final Supplier<Snapshot> snapshot;

    Page(Supplier<Snapshot> snapshot) {
      super("");
      this.snapshot = snapshot;
    }

    @Override
    public Seq<Node> render(HttpServletRequest request) {
      Seq<Node> content =
          CollectionConverters.asScala(
                  List.<Node>of(new Unparsed(new PageContent(snapshot.get()).html())))
              .toSeq();
      return SparkPage.render(request, "SymShuffle", content, SymShuffleTab.this);
    }
  }

  @Override
  public String name() {
    return "SymShuffle";
  }

  /**
   * Adds the tab to the UI of a running application, and collects the events that it shows.
   *
   * @param context the application; may have no UI
   */
  public static void install(SparkContext context) {
    UiState state = new UiState();
    context.addSparkListener(new UiListener(state));
    if (context.ui().isDefined()) {
      attach(context.ui().get(), state::snapshot);
    }
  }

  static void attach(SparkUI ui, Supplier<Snapshot> snapshot) {
    ui.attachTab(new SymShuffleTab(ui, snapshot));
  }
}
