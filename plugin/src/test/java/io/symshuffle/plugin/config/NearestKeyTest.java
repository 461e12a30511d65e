// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestKeyTest {
  @ParameterizedTest
  @CsvSource({
    "spark.symshuffle.heapSize, spark.symshuffle.heap.size",
    "spark.symshuffle.heap.sizes, spark.symshuffle.heap.size",
    "spark.symshuffle.head.dir, spark.symshuffle.heap.dir",
    "spark.symshuffle.stageing.size, spark.symshuffle.staging.size",
    "spark.symshuffle.enable, spark.symshuffle.enabled",
    "spark.symShuffle.Enabled, spark.symshuffle.enabled",
    "spark.symshuffle.checksum, spark.symshuffle.checksum.enabled",
    "spark.symshuffle.read.peer-memory, spark.symshuffle.read.peerMemory",
    "spark.symshuffle.device.heap_size, spark.symshuffle.device.heap.size"
  })
  void findsTheIntendedKey(String unknown, String meant) {
    assertEquals(meant, NearestKey.of(unknown, Settings.keys()));
  }
}
