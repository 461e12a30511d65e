// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.Gpus;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** NVML on the GPUs of this machine; its results are printed to standard output. */
@Tag("gpu")
class GpuNvmlIT {
  @BeforeAll
  static void needsGpus() {
    Gpus.assume();
    Nvml nvml = Nvml.system();
    assumeTrue(nvml.absence().isEmpty(), () -> nvml.absence().orElseThrow());
  }

  @Test
  void activeLinksHaveABandwidth() {
    CudaDriver driver = CudaDriver.system();
    System.out.println("driver " + Nvml.system().driverVersion());
    for (int gpu = 0; gpu < driver.deviceCount(); gpu++) {
      NvLinks links = Nvml.system().device(driver.device(gpu).uuid()).links();
      System.out.println(
          "GPU %d: %s, %d bytes/s in all".formatted(gpu, links, links.totalBytesPerSecond()));
      // NVLink 1 had 20 GB/s, NVLink 5 has 53.
      assertTrue(
          links.active() == 0
              || (links.bytesPerSecond() > 10_000_000_000L
                  && links.bytesPerSecond() < 200_000_000_000L),
          links.toString());
    }
  }

  @Test
  void peerAccessAgreesWithCuda() {
    CudaDriver driver = CudaDriver.system();
    for (int a = 0; a < driver.deviceCount(); a++) {
      for (int b = 0; b < driver.deviceCount(); b++) {
        if (a != b) {
          NvmlDevice device = Nvml.system().device(driver.device(a).uuid());
          NvmlDevice other = Nvml.system().device(driver.device(b).uuid());
          boolean reaches = driver.device(a).canAccess(driver.device(b));
          assertEquals(reaches, device.reaches(other, NvmlDevice.Reach.READ), a + " and " + b);
          System.out.println(
              "GPU %d and %d: read %s, NVLink %s"
                  .formatted(a, b, reaches, device.reaches(other, NvmlDevice.Reach.NVLINK)));
        }
      }
    }
  }
}
