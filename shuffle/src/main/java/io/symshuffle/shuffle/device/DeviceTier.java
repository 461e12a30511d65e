// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.device;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.heap.DeviceHeap;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.kernel.Kernels;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * This executor's part of an active device epoch: its window of GPU memory, from which it allocates
 * slabs, and the windows of the epoch's other PEs, which its kernels and copies read.
 *
 * <p>This class numbers PEs as SymShuffle does, across the whole cluster, and maps these numbers to
 * NVSHMEM's, which only cover the epoch. An executor that joined too late, or whose GPU cannot be
 * used, has no device tier, and other PEs cannot access its GPU memory.
 *
 * <p>When a PE of the epoch dies, all windows stay readable, including the dead PE's, and slabs can
 * still be allocated. Only NVSHMEM is no longer called, since it would wait for the dead PE
 * forever.
 *
 * <p>Thread-safe. Callers that read a window must ensure that the tier is not closed meanwhile.
 */
public final class DeviceTier implements AutoCloseable {
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

  private final DeviceHeap heap;
  private final Kernels kernels;
  private final int[] pes;

  /** From SymShuffle's number to NVSHMEM's. */
  private final Map<Integer, Integer> indexes = new HashMap<>();

  @GuardedBy("this")
  private boolean broken;

  @GuardedBy("this")
  private boolean closed;

  @GuardedBy("this")
  private boolean busy;

  /**
   * Creates the tier for a heap that all PEs of the epoch have created.
   *
   * @param heap the device heap; this tier takes ownership
   * @param kernels the kernels, loaded in the heap's context; this tier takes ownership
   * @param pes SymShuffle's number of each PE of the epoch, {@code int[heap.peCount()]}, in the
   *     order of NVSHMEM's numbers
   * @throws IllegalArgumentException if the table does not match the heap
   */
  public DeviceTier(DeviceHeap heap, Kernels kernels, int[] pes) {
    this.heap = requireNonNull(heap, "heap is null");
    this.kernels = requireNonNull(kernels, "kernels is null");
    this.pes = pes.clone();
    if (pes.length != heap.peCount()) {
      throw new IllegalArgumentException(
          "a table of %d PEs does not match a device heap of %d"
              .formatted(pes.length, heap.peCount()));
    }
    for (int index = 0; index < pes.length; index++) {
      if (pes[index] < 0 || indexes.put(pes[index], index) != null) {
        throw new IllegalArgumentException(
            "PE %d is negative or occurs twice in the table of a device epoch"
                .formatted(pes[index]));
      }
    }
  }

  /** {@return number of this PE in SymShuffle's table} */
  public int myPe() {
    return pes[heap.myPe()];
  }

  /**
   * {@return an identifier of this epoch, unique in the application: its PEs, whose numbers are
   * never reused}
   */
  public String epoch() {
    return Arrays.toString(pes);
  }

  /** {@return number of PEs that started together, including lost ones} */
  public int peCount() {
    return pes.length;
  }

  /** {@return this PE's window as this GPU addresses it; 64 KiB aligned} */
  public DeviceRange window() {
    return heap.window();
  }

  /**
   * The window of a PE. Offsets are the same as in the PE's own address space.
   *
   * @param pe its number in SymShuffle's table; may be this PE
   * @return the window as this GPU addresses it; empty if the PE is not in this epoch or this GPU
   *     cannot access its memory
   */
  public Optional<DeviceRange> windowOf(int pe) {
    Integer index = indexes.get(pe);
    return index == null ? Optional.empty() : heap.peer(index);
  }

  /**
   * Whether this GPU can read a PE's window in place.
   *
   * @param pe its number in SymShuffle's table
   * @return true also for a PE that was lost since: its memory exists as long as this process maps
   *     it
   */
  public boolean canAccess(int pe) {
    return windowOf(pe).isPresent();
  }

  /** {@return the allocator of this PE's window; offsets are relative to the window and never 0} */
  public SlabAllocator slabs() {
    return heap.slabs();
  }

  /** {@return the current statistics} */
  public DeviceStats stats() {
    return new DeviceStats(pes.length, heap.size(), heap.slabs().stats().usedBytes());
  }

  /**
   * {@return the primary context of this PE's GPU, which other libraries in this process also use}
   */
  public CudaContext context() {
    return kernels.context();
  }

  /** {@return the kernels of this PE's GPU} */
  public Kernels kernels() {
    return kernels;
  }

  /**
   * Reports a lost executor. If it is in the epoch, NVSHMEM is no longer called; windows and slabs
   * stay usable.
   *
   * @param pe its number in SymShuffle's table
   */
  public synchronized void lost(int pe) {
    if (!broken && indexes.containsKey(pe)) {
      broken = true;
      heap.peerLost("PE %d of the device epoch is lost".formatted(pe));
    }
  }

  /** {@return whether all PEs that started together are alive, as far as this process knows} */
  public synchronized boolean isWhole() {
    return !broken;
  }

  /**
   * Releases what this process holds except the windows, and refuses further launches. It waits for
   * those in progress, for at most 10 seconds; what a kernel may use then is leaked. Not a
   * collective operation: the windows, including this executor's, stay mapped until the processes
   * that mapped them exit.
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
      heap.close();
    }
  }

  /** {@return whether a kernel may still use the windows, although the tier is closed} */
  public synchronized boolean isBusyAfterClose() {
    return busy;
  }
}
