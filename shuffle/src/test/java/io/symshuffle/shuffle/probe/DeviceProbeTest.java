// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.Slab;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.read.TwoDevices;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two PEs on fakes of the CUDA driver. */
class DeviceProbeTest {
  @TempDir private Path folder;

  @Test
  void copiesFromThePeerAndFreesItsMemory() throws Exception {
    TwoDevices devices = new TwoDevices(folder, 4 * DeviceProbe.BYTES);
    try (devices) {
      DeviceTier[] tiers = devices.start();
      assertEquals(0, new DeviceProbe(tiers[0], 1).move(), "no memory of this GPU is in use");
      tiers[0].slabs().free(tiers[0].slabs().allocate(2 * DeviceProbe.BYTES).orElseThrow());
      assertEquals(DeviceProbe.BYTES, new DeviceProbe(tiers[0], 1).move());
      assertEquals(0, tiers[0].slabs().stats().usedBytes());
      Optional<Slab> all = tiers[0].slabs().allocate(3 * DeviceProbe.BYTES);
      assertTrue(all.isPresent());
      assertEquals(0, new DeviceProbe(tiers[0], 1).move(), "the device heap is full");
      assertEquals(0, new DeviceProbe(tiers[0], 7).move(), "there is no such PE");
    }
  }
}
