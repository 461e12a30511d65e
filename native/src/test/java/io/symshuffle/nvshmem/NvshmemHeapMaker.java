// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import io.symshuffle.heap.DeviceHeapMaker;
import java.nio.file.Path;
import java.time.Duration;

/** NVSHMEM heaps, one process per PE. */
abstract class NvshmemHeapMaker implements DeviceHeapMaker {
  private final PeSetup setup;

  private NvshmemHeapMaker(PeSetup setup) {
    this.setup = setup;
  }

  /** On GPUs. */
  public static final class OnGpus extends NvshmemHeapMaker {
    public OnGpus() {
      super(PeSetup.GPU);
    }
  }

  /** On fakes. */
  public static final class OnFakes extends NvshmemHeapMaker {
    public OnFakes() {
      super(PeSetup.FAKE);
    }
  }

  @Override
  public Pe make(int pe, int peCount, Path folder, long windowBytes) throws Exception {
    NvshmemRuntime runtime = setup.open(folder, pe, NvshmemHeap.windowBytes(windowBytes));
    PeSetup.start(runtime, folder, "1", pe, peCount);
    return new Pe(
        NvshmemHeap.create(runtime, windowBytes, Duration.ofSeconds(60)), runtime.context());
  }
}
