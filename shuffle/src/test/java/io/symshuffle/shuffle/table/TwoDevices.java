// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.Kernels;
import io.symshuffle.nvshmem.NvshmemHeap;
import io.symshuffle.nvshmem.NvshmemRuntime;
import io.symshuffle.nvshmem.PeSetup;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.fixture.InParallel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Device heaps of two PEs, on fakes of CUDA and NVSHMEM that run the real kernels on the CPU. */
public final class TwoDevices implements AutoCloseable {
  /** Number of PEs; they are PEs 0 and 1. */
  public static final int COUNT = 2;

  private static final Duration LIMIT = Duration.ofMinutes(10);

  private final Path folder;
  private final long bytes;
  private final NvshmemRuntime[] runtimes = new NvshmemRuntime[COUNT];
  private final DeviceTier[] tiers = new DeviceTier[COUNT];

  /** Prepares heaps of {@code bytes} bytes; {@link #start} creates them. */
  public TwoDevices(Path folder, long bytes) {
    this.folder = folder;
    this.bytes = bytes;
  }

  /** Starts both, or skips the test if the fakes cannot be compiled. */
  public DeviceTier[] start() throws Exception {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    InParallel.run(stop -> start(0), stop -> start(1));
    return tiers;
  }

  private void start(int pe) throws Exception {
    NvshmemRuntime runtime = PeSetup.FAKE.open(folder, pe, NvshmemHeap.windowBytes(bytes));
    runtimes[pe] = runtime;
    PeSetup.start(runtime, folder, "1", pe, COUNT);
    NvshmemHeap heap = NvshmemHeap.create(runtime, bytes, LIMIT);
    Kernels kernels =
        Kernels.load(runtime.context(), new KernelImage(Optional.of(new byte[16])), pe);
    tiers[pe] = new DeviceTier(heap, kernels);
  }

  @Override
  public void close() {
    for (int pe = 0; pe < COUNT; pe++) {
      if (tiers[pe] != null) {
        tiers[pe].close();
        runtimes[pe].close();
      }
      assertEquals(Optional.empty(), FakeLibraries.violation(folder.resolve("cuda-" + pe)));
    }
  }
}
