// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.device;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.heap.DeviceHeap;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.kernel.Kernels;
import java.time.Duration;

/**
 * This executor's GPU and its device heap: its window of GPU memory, from which it allocates slabs,
 * the windows of other PEs, which its kernels and copies read, and the kernels.
 *
 * <p>An executor whose GPU cannot be used has no device tier, and other PEs cannot access its GPU
 * memory.
 *
 * <p>When another PE dies, all that is mapped stays readable, including the dead PE's memory, and
 * slabs can still be allocated.
 *
 * <p>Thread-safe. Callers that read a window must ensure that the tier is not closed meanwhile.
 */
public final class DeviceTier implements AutoCloseable {
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

  private final DeviceHeap heap;
  private final Kernels kernels;

  @GuardedBy("this")
  private boolean broken;

  @GuardedBy("this")
  private boolean closed;

  @GuardedBy("this")
  private boolean busy;

  /**
   * @param heap the device heap; this tier takes ownership
   * @param kernels the kernels, loaded in the heap's context; this tier takes ownership
   */
  public DeviceTier(DeviceHeap heap, Kernels kernels) {
    this.heap = heap;
    this.kernels = kernels;
  }

  /** Returns the device heap; closed with this tier. */
  public DeviceHeap heap() {
    return heap;
  }

  /** Returns this PE's window as this GPU addresses it; 64 KiB aligned. */
  public DeviceRange window() {
    return heap.window();
  }

  /** Returns the allocator of this PE's window; offsets are relative to the window and never 0. */
  public SlabAllocator slabs() {
    return heap.slabs();
  }

  /**
   * Returns whether half of the heap is used, so that what is stored from now on had better be
   * packed.
   */
  public boolean isFilling() {
    return heap.slabs().stats().usedBytes() > heap.size() / 2;
  }

  /** Returns the current statistics. */
  public DeviceStats stats() {
    return new DeviceStats(heap.pes().size(), heap.size(), heap.slabs().stats().usedBytes());
  }

  /**
   * Returns the primary context of this PE's GPU, which other libraries in this process also use.
   */
  public CudaContext context() {
    return kernels.context();
  }

  /** Returns the kernels of this PE's GPU. */
  public Kernels kernels() {
    return kernels;
  }

  /** Returns memory to the GPU that no map output uses; for an idle executor. */
  public void trim() {
    heap.trim();
    kernels.trim();
  }

  /**
   * Reports a lost executor. Windows and slabs stay usable.
   *
   * @param pe its number in SymShuffle's table
   */
  public synchronized void lost(int pe) {
    if (heap.pes().contains(pe)) {
      broken = true;
    }
    heap.lost(pe);
  }

  /** Returns whether all PEs of the heap are alive, as far as this process knows. */
  public synchronized boolean isWhole() {
    return !broken;
  }

  /**
   * Releases what this process holds, and refuses further launches. It waits for those in progress,
   * for at most 10 seconds; what a kernel may use then is leaked. Not a collective operation: what
   * other processes have mapped stays mapped there.
   */
  @Override
  public void close() {
    close(CLOSE_LIMIT);
  }

  /**
   * Closes the tier.
   *
   * @param limit how long to wait for launches in progress
   */
  synchronized void close(Duration limit) {
    if (!closed) {
      closed = true;
      busy = !kernels.close(limit);
      if (!busy) {
        heap.close();
      }
    }
  }

  /** Returns whether a kernel may still use the windows, although the tier is closed. */
  public synchronized boolean isBusyAfterClose() {
    return busy;
  }
}
