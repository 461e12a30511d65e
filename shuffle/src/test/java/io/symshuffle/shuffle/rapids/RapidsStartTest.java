// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.ffi.ProcessEnvironment;
import io.symshuffle.shuffle.table.TableEngines;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;

class RapidsStartTest {
  private static final String POOL = "LIBCUDF_PINNED_POOL_SIZE";

  @Test
  void givesCudfItsOwnPinnedPoolOnlyIfItDoesNotShareRapidsPool() {
    SparkConf conf = new SparkConf(false).set(RapidsStart.SHARE_PINNED_POOL, "false");
    RapidsStart.beforeRapids(conf.set(RapidsStart.MODE_KEY, "host"));
    assertEquals(Optional.empty(), ProcessEnvironment.get(POOL), "RAPIDS uses the host");
    conf.set(RapidsStart.MODE_KEY, "device");
    RapidsStart.beforeRapids(conf.clone().set(RapidsStart.SHARE_PINNED_POOL, "true"));
    assertEquals(Optional.empty(), ProcessEnvironment.get(POOL), "the user shares the pool");
    RapidsStart.beforeRapids(conf);
    assertEquals(Optional.of("67108864"), ProcessEnvironment.get(POOL));
  }

  @Test
  void executorContinuesWithoutGpuMemoryForTheSelfTest() {
    List<String> reasons = new ArrayList<>();
    TableEngines.onUnavailable(reasons::add);
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(
        new ClassLoader(before) {
          @Override
          protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("com.nvidia.")) {
              throw new OutOfMemoryError("Could not allocate native memory");
            }
            return super.loadClass(name, resolve);
          }
        });
    try {
      RapidsStart.onExecutor();
    } finally {
      thread.setContextClassLoader(before);
      TableEngines.onUnavailable(reason -> {});
    }
    assertTrue(reasons.getFirst().contains("Could not allocate native memory"), reasons::getFirst);
  }

  @Test
  void reportsWhyTheEngineIsUnavailable() {
    List<String> reasons = new ArrayList<>();
    TableEngines.onUnavailable(reasons::add);
    // RAPIDS is not on the class path of this test.
    RapidsStart.onExecutor();
    assertEquals(1, reasons.size());
    assertTrue(
        reasons.getFirst().startsWith("RAPIDS cannot be used on this executor: it has no class "),
        reasons.getFirst());
    String message = assertThrows(IllegalStateException.class, TableEngines::require).getMessage();
    assertTrue(message.endsWith(reasons.getFirst()), message);
    TableEngines.onUnavailable(reason -> {});
  }
}
