// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.runtime.ShuffleEndNotifier;
import io.symshuffle.shuffle.table.TableEngine;
import io.symshuffle.shuffle.table.TableEngines;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.types.DataType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The manager of the driver. */
class SymShuffleManagerTest {
  private SparkConf conf;
  private SparkContext context;

  @BeforeEach
  void start() {
    conf =
        new SparkConf()
            .setMaster("local[1]")
            .setAppName("SymShuffleManagerTest")
            .set("spark.ui.enabled", "false");
    context = new SparkContext(conf);
  }

  @AfterEach
  void end() {
    ShuffleEndNotifier.clearListener();
    TableEngines.unavailable("the test has ended");
    context.stop();
  }

  @Test
  void notifiesOfTheEndOfShufflesOfTables() {
    TableEngines.install(
        (TableEngine)
            Proxy.newProxyInstance(
                TableEngine.class.getClassLoader(),
                new Class<?>[] {TableEngine.class},
                (engine, method, arguments) ->
                    switch (method.getName()) {
                      case "isTableShuffle" -> true;
                      case "types" -> new DataType[0];
                      case "reasonNotToHash" -> Optional.of("no GPU");
                      default -> throw new AssertionError(method);
                    }));
    List<Integer> ended = new ArrayList<>();
    ShuffleEndNotifier.setListener(ended::add);
    SymShuffleManager manager = new SymShuffleManager(conf);
    manager.registerShuffle(7, null);
    manager.unregisterShuffle(6);
    assertTrue(manager.unregisterShuffle(7));
    assertEquals(List.of(7), ended);
    assertTrue(manager.isOurs(7), "map outputs of lost executors are kept");
  }
}
