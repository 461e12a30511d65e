// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RapidsMemoryTest {
  private static final long GIB = 1L << 30;

  @Test
  void saysNothingWithoutRapids() {
    assertEquals(Optional.empty(), RapidsMemory.of(new SparkConf(false)));
  }

  @ParameterizedTest
  @CsvSource({
    "7, '', '', true",
    "18, '', '', false",
    "17, '', '', true",
    "7, 16g, '', true",
    "8, 16g, '', false",
    "9, 16g, '', false",
    "7, 16g, 1g, true",
    "7, 16g, 2g, false",
  })
  void comparesTheHeapWithWhatRapidsCanSpareOnAGpuOf24(
      long heapGib, String allocSize, String reserve, boolean fits) {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.plugins", "io.symshuffle.SymShufflePlugin," + RapidsMemory.PLUGIN);
    if (!allocSize.isEmpty()) {
      conf.set("spark.rapids.memory.gpu.allocSize", allocSize);
    }
    if (!reserve.isEmpty()) {
      conf.set("spark.rapids.memory.gpu.reserve", reserve);
    }
    assertEquals(
        fits, RapidsMemory.of(conf).orElseThrow().conflict(heapGib * GIB, 24 * GIB).isEmpty());
  }

  @Test
  void sparesWhatIsFreeBesidesThePoolAndTheReserve() {
    RapidsMemory rapids = new RapidsMemory(0, 0.25, GIB);
    assertEquals(17 * GIB, rapids.spare(24 * GIB, 24 * GIB));
    assertEquals(3 * GIB, rapids.spare(10 * GIB, 24 * GIB));
    assertEquals(0, rapids.spare(5 * GIB, 24 * GIB));
  }
}
