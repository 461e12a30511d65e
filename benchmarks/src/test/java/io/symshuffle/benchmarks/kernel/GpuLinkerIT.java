// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.benchmarks.linker.DeviceLinker;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.KernelModule;
import io.symshuffle.nvshmem.NvshmemLibrary;
import io.symshuffle.nvshmem.PeSetup;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs each linker of this machine with its NVSHMEM. */
@Tag("gpu")
class GpuLinkerIT {
  static List<DeviceLinker> linkers() {
    return DeviceLinker.all();
  }

  @ParameterizedTest
  @MethodSource("linkers")
  void linkedKernelCanBeLoaded(DeviceLinker linker) {
    CudaDriver driver = CudaDriver.system();
    assumeTrue(driver.absence().isEmpty(), () -> driver.absence().orElseThrow());
    assumeTrue(linker.absence().isEmpty(), () -> linker.absence().orElseThrow());
    KernelImage image = BenchmarkKernels.image();
    assumeTrue(image.absence().isEmpty(), () -> image.absence().orElseThrow());
    NvshmemLibrary nvshmem = PeSetup.GPU.library(Path.of("."), 0);
    assumeTrue(nvshmem.absence().isEmpty(), () -> nvshmem.absence().orElseThrow());
    try (CudaContext context = driver.device(0).openPrimaryContext()) {
      long start = System.nanoTime();
      DevicePullCode code = DevicePullCode.link(context, nvshmem, List.of(linker));
      long microseconds = (System.nanoTime() - start) / 1000;
      try (KernelModule module = code.load(context, 0)) {
        assertTrue(module.function("symshuffle_device_pull").registers() > 0);
      }
      System.out.println(
          "%s made %d bytes in %d us".formatted(code.linker(), code.cubin().length, microseconds));
    }
  }
}
