// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import java.util.function.Supplier;
import org.apache.spark.SparkContext;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.ui.SparkUITab;

/** The tab SymShuffle in Spark's UI. */
public final class SymShuffleTab extends SparkUITab {
  private SymShuffleTab(SparkUI ui, Supplier<Snapshot> snapshot) {
    super(ui, "symshuffle");
    attachPage(new SymShufflePage(this, snapshot));
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
