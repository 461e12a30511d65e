// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import io.symshuffle.nvshmem.NvshmemRuntime;
import io.symshuffle.nvshmem.PeSetup;
import java.nio.file.Path;
import java.time.Duration;

/** Device heaps, one PE a process. */
public abstract class NvshmemHeapMaker implements HeapMaker {
  private final PeSetup setup;
  private final boolean map;

  private NvshmemHeapMaker(PeSetup setup, boolean map) {
    this.setup = setup;
    this.map = map;
  }

  /** On GPUs. */
  public static final class OnGpus extends NvshmemHeapMaker {
    /** For the contract. */
    public OnGpus() {
      super(PeSetup.GPU, true);
    }
  }

  /** On GPUs, as if no peer was in reach of loads and stores. */
  public static final class OnGpusUnmapped extends NvshmemHeapMaker {
    /** For the contract. */
    public OnGpusUnmapped() {
      super(PeSetup.GPU, false);
    }
  }

  /** On fakes. */
  public static final class OnFakes extends NvshmemHeapMaker {
    /** For the contract. */
    public OnFakes() {
      super(PeSetup.FAKE, true);
    }
  }

  /** On fakes, as if no peer was in reach of loads and stores. */
  public static final class OnFakesUnmapped extends NvshmemHeapMaker {
    /** For the contract. */
    public OnFakesUnmapped() {
      super(PeSetup.FAKE, false);
    }
  }

  @Override
  public SymmetricHeap make(int pe, int peCount, Path folder, long windowBytes) throws Exception {
    NvshmemRuntime runtime = setup.open(folder, pe, NvshmemHeap.arenaBytes(windowBytes));
    PeSetup.start(runtime, folder, "1", pe, peCount);
    return NvshmemHeap.create(runtime, windowBytes, Duration.ofSeconds(60), map);
  }
}
