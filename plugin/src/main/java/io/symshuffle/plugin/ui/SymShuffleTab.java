// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import java.util.function.Supplier;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.ui.SparkUITab;

/** The tab SymShuffle in Spark's UI. */
final class SymShuffleTab extends SparkUITab {
  private SymShuffleTab(SparkUI ui, Supplier<Snapshot> snapshot) {
    super(ui, "symshuffle");
    attachPage(new SymShufflePage(this, snapshot));
  }

  @Override
  public String name() {
    return "SymShuffle";
  }

  static void attach(SparkUI ui, Supplier<Snapshot> snapshot) {
    ui.attachTab(new SymShuffleTab(ui, snapshot));
  }
}
