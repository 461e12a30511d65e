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
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * This executor's part in a device epoch that is active: its own window of GPU memory, from which
 * it hands out slabs, and the windows of the epoch's other PEs, which its kernels and copies read.
 *
 * <p>PEs have SymShuffle's numbers here, those of the whole cluster; NVSHMEM counts the PEs of the
 * epoch alone, and the table between the two stays inside. An executor that came too late, or whose
 * GPU cannot be used, has none of this and is in nobody's reach.
 *
 * <p>When a PE of the epoch dies, all windows stay readable, its own too, and slabs can be handed
 * out as before; only NVSHMEM is not called any more, since it would wait for the dead one for
 * ever.
 *
 * <p>Threads: any. Whoever reads a window sees to it that nothing is closed meanwhile.
 */
public final class DeviceTier implements AutoCloseable {
  private final DeviceHeap heap;
  private final Kernels kernels;
  private final int[] pes;

  /** From SymShuffle's number to NVSHMEM's. */
  private final Map<Integer, Integer> indexes = new HashMap<>();

  @GuardedBy("this")
  private boolean broken;

  @GuardedBy("this")
  private boolean closed;

  /**
   * Takes part with a heap that all PEs of the epoch have made.
   *
   * @param heap the device heap; owned from now on
   * @param kernels the kernels, loaded in the heap's context; owned from now on
   * @param pes SymShuffle's number of each PE of the epoch, {@code int[heap.peCount()]}, in the
   *     order of NVSHMEM's numbers
   * @throws IllegalArgumentException if the table does not fit the heap
   */
  public DeviceTier(DeviceHeap heap, Kernels kernels, int[] pes) {
    this.heap = requireNonNull(heap, "heap is null");
    this.kernels = requireNonNull(kernels, "kernels is null");
    this.pes = pes.clone();
    if (pes.length != heap.peCount()) {
      throw new IllegalArgumentException(
          "a table of %d PEs does not fit a device heap of %d"
              .formatted(pes.length, heap.peCount()));
    }
    for (int index = 0; index < pes.length; index++) {
      if (pes[index] < 0 || indexes.put(pes[index], index) != null) {
        throw new IllegalArgumentException(
            "PE %d stands twice in the table of a device epoch, or is less than 0"
                .formatted(pes[index]));
      }
    }
  }

  /** {@return number of this PE in SymShuffle's table} */
  public int myPe() {
    return pes[heap.myPe()];
  }

  /**
   * {@return what tells this epoch from all others of the application: its PEs, whose numbers are
   * never given again}
   */
  public String epoch() {
    return Arrays.toString(pes);
  }

  /** {@return number of PEs that started together, lost ones included} */
  public int peCount() {
    return pes.length;
  }

  /** {@return the own window as this GPU addresses it; 64 KiB aligned} */
  public DeviceRange window() {
    return heap.window();
  }

  /**
   * The window of a PE, in which offsets mean the same as in the PE's own.
   *
   * @param pe its number in SymShuffle's table; the own one is allowed
   * @return where this GPU finds it; empty if the PE is not of this epoch or out of reach
   */
  public Optional<DeviceRange> windowOf(int pe) {
    Integer index = indexes.get(pe);
    return index == null ? Optional.empty() : heap.peer(index);
  }

  /**
   * Whether this GPU reads a PE's window in place.
   *
   * @param pe its number in SymShuffle's table
   * @return true also for a PE that was lost since: its memory lives as long as our mapping
   */
  public boolean reaches(int pe) {
    return windowOf(pe).isPresent();
  }

  /** {@return what hands out the own window; offsets count in the window and are never 0} */
  public SlabAllocator slabs() {
    return heap.slabs();
  }

  /** {@return its figures of now} */
  public DeviceStats stats() {
    return new DeviceStats(pes.length, heap.size(), heap.slabs().stats().usedBytes());
  }

  /** {@return the primary context of this PE's GPU, the same that others in this process use} */
  public CudaContext context() {
    return kernels.context();
  }

  /** {@return the kernels of this PE's GPU} */
  public Kernels kernels() {
    return kernels;
  }

  /**
   * Says that an executor is gone. If it was one of the epoch, NVSHMEM is not called any more;
   * windows and slabs stay as they are.
   *
   * @param pe its number in SymShuffle's table
   */
  public synchronized void lost(int pe) {
    if (!broken && indexes.containsKey(pe)) {
      broken = true;
      heap.peerLost("PE %d of the device epoch is lost".formatted(pe));
    }
  }

  /** {@return whether all PEs that started together are still there, as far as is known} */
  public synchronized boolean isWhole() {
    return !broken;
  }

  /**
   * Gives back what this process holds beside the windows. No collective: the windows, this
   * executor's too, stay mapped until the processes end that mapped them.
   */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      kernels.close();
      heap.close();
    }
  }
}
