// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cli.CliException;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.GpuShare;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GpuMemoryTest {
  private static final long GIB = 1L << 30;
  private static final String POOL = "spark.rapids.memory.gpu.allocSize";
  private static final String HEAP = "spark.symshuffle.device.heap.size";
  private static final List<ManagerChoice> PAIR =
      List.of(ManagerChoice.RAPIDS_MULTITHREADED, ManagerChoice.RAPIDS_SYMSHUFFLE);
  private static final List<ManagerChoice> THREE =
      List.of(
          ManagerChoice.RAPIDS,
          ManagerChoice.RAPIDS_MULTITHREADED,
          ManagerChoice.RAPIDS_SYMSHUFFLE);

  private static GpuMemory memory(long gib, String pool, String heap) {
    return new GpuMemory(
        gib * GIB,
        Optional.ofNullable(pool).map(ByteSize::parse),
        Optional.ofNullable(heap).map(GpuShare::parse));
  }

  private static long bytes(Map<String, String> settings, String key) {
    return settings.containsKey(key) ? ByteSize.parse(settings.get(key)).bytes() : 0;
  }

  @Test
  void dividesMemoryEquallyWithHeapsIncluded() {
    List<Map<String, String>> settings = memory(140, null, null).settings(PAIR);
    long first = bytes(settings.getFirst(), POOL);
    long second = bytes(settings.getLast(), POOL) + bytes(settings.getLast(), HEAP);
    assertAll(
        () -> assertEquals(68 * GIB, first),
        () -> assertTrue(Math.abs(first - second) <= 2 << 20, first + " and " + second),
        () -> assertEquals(0.3 * 68 * GIB, (double) bytes(settings.getLast(), HEAP), 1 << 20));
  }

  @Test
  void takesHeapOfUserFromPoolOfItsApplication() {
    List<Map<String, String>> settings = memory(140, null, "24g").settings(PAIR);
    assertAll(
        () -> assertEquals(24 * GIB, bytes(settings.getLast(), HEAP)),
        () -> assertEquals(44 * GIB, bytes(settings.getLast(), POOL)));
  }

  @Test
  void givesNothingToApplicationsOnCpus() {
    List<Map<String, String>> settings =
        memory(80, null, null).settings(List.of(ManagerChoice.SORT, ManagerChoice.SYMSHUFFLE));
    assertAll(
        () -> assertEquals(Map.of(), settings.get(0)),
        () -> assertEquals(Map.of(), settings.get(1)));
  }

  @Test
  void refusesWhatDoesNotFitWithTheArithmetic() {
    CliException failure =
        assertThrows(CliException.class, () -> memory(100, "32g", "24g").settings(THREE));
    assertAll(
        failure.getMessage(),
        () -> assertEquals(2, failure.exitStatus()),
        () -> assertTrue(failure.getMessage().contains("of which 100.0 GiB are free")),
        () ->
            assertTrue(
                failure
                    .getMessage()
                    .contains(
                        "rapids-symshuffle: pool 32.0 GiB + device heap 24.0 GiB + 2.0 GiB for CUDA"
                            + " = 58.0 GiB")),
        () -> assertTrue(failure.getMessage().contains("sum: 126.0 GiB")),
        () -> assertTrue(failure.getMessage().contains("--gpu-pool")));
    assertEquals(3, memory(140, "32g", "24g").settings(THREE).size());
  }
}
