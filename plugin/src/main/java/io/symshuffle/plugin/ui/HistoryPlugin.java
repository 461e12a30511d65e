// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import java.util.List;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.status.AppHistoryServerPlugin;
import org.apache.spark.status.ElementTrackingStore;
import org.apache.spark.ui.SparkUI;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/**
 * Adds the tab to the History Server, which loads this class with {@link java.util.ServiceLoader}.
 */
public final class HistoryPlugin implements AppHistoryServerPlugin {
  // After Spark's tabs.
  private static final int DISPLAY_ORDER = 100;

  @Override
  public Seq<SparkListener> createListeners(SparkConf conf, ElementTrackingStore store) {
    UiState state = new UiState();
    store.onFlush(
        () -> {
          if (!state.isEmpty()) {
            StoredState.write(state.snapshot(), store);
          }
          return BoxedUnit.UNIT;
        });
    return CollectionConverters.asScala(List.<SparkListener>of(new UiListener(state))).toSeq();
  }

  @Override
  public void setupUI(SparkUI ui) {
    Optional<Snapshot> stored = StoredState.read(ui.store().store());
    stored.ifPresent(snapshot -> SymShuffleTab.attach(ui, () -> snapshot));
  }

  @Override
  public int displayOrder() {
    return DISPLAY_ORDER;
  }
}
