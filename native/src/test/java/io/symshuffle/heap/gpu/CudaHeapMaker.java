// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.gpu;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.heap.DeviceHeapMaker;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.nvshmem.PeSetup;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** CUDA heaps, one process per PE. */
abstract class CudaHeapMaker implements DeviceHeapMaker {
  static final FolderToken TOKEN = new FolderToken("0123456789abcdef0123456789abcdef");

  /** The smallest chunk, so that windows have several. */
  static final long CHUNK_BYTES = 2L << 20;

  private static final Duration LIMIT = Duration.ofMinutes(10);

  private final PeSetup setup;

  private CudaHeapMaker(PeSetup setup) {
    this.setup = setup;
  }

  /** On GPUs. */
  public static final class OnGpus extends CudaHeapMaker {
    public OnGpus() {
      super(PeSetup.GPU);
    }
  }

  /** On the fake driver. */
  public static final class OnFakes extends CudaHeapMaker {
    public OnFakes() {
      super(PeSetup.FAKE);
    }
  }

  @Override
  public Pe make(int pe, int peCount, Path folder, long windowBytes) throws Exception {
    Pe opened = open(setup, pe, folder, windowBytes);
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (opened.heap().pes().size() < peCount) {
      if (System.nanoTime() - deadline >= 0) {
        throw new IllegalStateException(
            "only the PEs %s have opened their heaps".formatted(opened.heap().pes()));
      }
      Thread.sleep(5);
    }
    return opened;
  }

  /** Opens the heap of a PE, with a host heap as in an executor. */
  static Pe open(PeSetup setup, int pe, Path folder, long windowBytes) {
    CudaDriver driver = setup.driver(folder, pe);
    CudaContext context = driver.device(pe % driver.deviceCount()).openPrimaryContext();
    HeapFolder heaps = HeapFolder.open(folder, TOKEN, List.of(folder));
    HostHeap.create(heaps, pe, 64 << 10);
    return new Pe(CudaHeap.open(context, heaps, pe, windowBytes, CHUNK_BYTES), context);
  }
}
