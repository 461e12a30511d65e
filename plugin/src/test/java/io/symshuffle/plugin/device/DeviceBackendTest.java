// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.config.SymShuffleConfigException;
import io.symshuffle.plugin.device.DeviceBackend.Choice;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceBackendTest {
  private static final String BACKEND = "spark.symshuffle.device.backend";

  @ParameterizedTest
  @CsvSource({"nvshmem, NVSHMEM", "cuda, CUDA"})
  void takesTheBackendThatIsSet(String value, DeviceBackend backend) {
    Choice choice = choose(Optional.of("it is not installed"), Map.of(BACKEND, value));
    assertEquals(new Choice(backend, BACKEND + " is " + value), choice);
  }

  @ParameterizedTest
  @CsvSource({
    "spark.symshuffle.device.enabled, true",
    "spark.symshuffle.device.required, true",
    "spark.symshuffle.rapids.mode, device"
  })
  void takesCudaWithoutNvshmemIfAskedForDeviceHeaps(String key, String value) {
    assertEquals(
        new Choice(DeviceBackend.CUDA, "NVSHMEM cannot be used (it is not installed)"),
        choose(Optional.of("it is not installed"), Map.of(key, value)));
    assertEquals(
        new Choice(DeviceBackend.NVSHMEM, "it is installed, and the number of executors is fixed"),
        choose(Optional.empty(), Map.of(key, value)));
  }

  @Test
  void staysWithNvshmemIfNothingAsksForDeviceHeaps() {
    // The driver replaces auto by one of the others.
    for (String mode : new String[] {"host", "auto"}) {
      assertEquals(
          DeviceBackend.NVSHMEM,
          choose(Optional.of("it is not installed"), Map.of("spark.symshuffle.rapids.mode", mode))
              .backend());
    }
  }

  @Test
  void takesCudaIfGpusMustNotReadEachOther() {
    String key = "spark.symshuffle.device.peerAccess";
    assertEquals(
        new Choice(DeviceBackend.CUDA, key + " is false"),
        choose(Optional.empty(), Map.of(key, "false", "spark.symshuffle.rapids.mode", "device")));
    String refusal =
        assertThrows(
                SymShuffleConfigException.class,
                () -> choose(Optional.empty(), Map.of(key, "false", BACKEND, "nvshmem")))
            .getMessage();
    assertTrue(refusal.contains(key + " is false: change one of them"), refusal);
  }

  @ParameterizedTest
  @CsvSource({"auto, CUDA", "cuda, CUDA", "nvshmem, NVSHMEM"})
  void prefersCudaIfNvshmemWouldTakeWhatRapidsNeeds(String value, DeviceBackend backend) {
    assertEquals(
        backend,
        DeviceBackend.choose(
                ConfigReader.read(new HashMap<>(Map.of(BACKEND, value))),
                () -> Optional.of("it is too much"),
                Optional::empty)
            .backend());
  }

  private static Choice choose(Optional<String> problem, Map<String, String> settings) {
    return DeviceBackend.choose(
        ConfigReader.read(new HashMap<>(settings)), Optional::empty, () -> problem);
  }
}
