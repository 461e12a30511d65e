// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.nvshmem.NvshmemRuntime;
import io.symshuffle.nvshmem.SymmetricBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The device heap in NVSHMEM memory. All PEs allocate it together, once; all windows have the same
 * length, and no PE joins later.
 *
 * <p>{@link #close()} is not collective and frees nothing: the memory lives as long as NVSHMEM.
 */
public final class NvshmemHeap implements DeviceHeap {
  /**
   * Window lengths are rounded up to this, since kernels may read past the end of a slab to a
   * multiple of 16 bytes.
   */
  private static final long GRANULE = 64L << 10;

  /** The first offset of a slab: 0 means "nowhere", and large slabs stay aligned to 64 KiB. */
  private static final long FIRST_OFFSET = GRANULE;

  private final NvshmemRuntime runtime;
  private final int myPe;

  /** The window of each PE as this GPU maps it. */
  private final List<Optional<DeviceRange>> windows;

  private final SlabAllocator slabs;
  private final long size;
  private volatile boolean closed;

  private NvshmemHeap(NvshmemRuntime runtime, List<Optional<DeviceRange>> windows, long size) {
    this.runtime = runtime;
    this.myPe = runtime.myPe();
    this.windows = windows;
    this.size = size;
    this.slabs =
        new SlabAllocator(FIRST_OFFSET, size - FIRST_OFFSET, SlabBacking.none(), Long.MAX_VALUE);
  }

  /**
   * Creates the heaps of all PEs. All PEs call this together.
   *
   * @param runtime NVSHMEM, started
   * @param bytes length of the window, more than 64 KiB, rounded up to 64 KiB; the same on all PEs
   * @param limit timeout
   * @return the open heap; the content of its window is undefined
   * @throws io.symshuffle.nvshmem.NvshmemException when there is not enough memory, or a PE is
   *     missing
   */
  public static NvshmemHeap create(NvshmemRuntime runtime, long bytes, Duration limit) {
    requireNonNull(runtime, "runtime is null");
    if (bytes <= FIRST_OFFSET || bytes > Long.MAX_VALUE / 2) {
      throw new IllegalArgumentException("cannot create a window of " + bytes + " bytes");
    }
    SymmetricBuffer memory = runtime.allocate(windowBytes(bytes), limit);
    List<Optional<DeviceRange>> windows = new ArrayList<>();
    for (int pe = 0; pe < runtime.peCount(); pe++) {
      windows.add(memory.peer(pe));
    }
    runtime.barrier(limit);
    return new NvshmemHeap(runtime, List.copyOf(windows), memory.bytes());
  }

  /**
   * Returns the length of the window for a requested length.
   *
   * @param bytes requested length
   * @return bytes of GPU memory that {@link #create} allocates
   */
  public static long windowBytes(long bytes) {
    return (bytes + GRANULE - 1) / GRANULE * GRANULE;
  }

  @Override
  public int myPe() {
    return myPe;
  }

  @Override
  public int peCount() {
    return windows.size();
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public DeviceRange window() {
    return peer(myPe).orElseThrow();
  }

  @Override
  public Optional<DeviceRange> peer(int pe) {
    requireOpen();
    if (pe < 0 || pe >= windows.size()) {
      throw new HeapException(
          "PE %d has no window: NVSHMEM started with %d PEs".formatted(pe, windows.size()));
    }
    return windows.get(pe);
  }

  @Override
  public SlabAllocator slabs() {
    return slabs;
  }

  /** Stops all NVSHMEM calls in this process, since they would wait for the lost PE forever. */
  @Override
  public void peerLost(String reason) {
    runtime.giveUp(reason);
  }

  @Override
  public void close() {
    closed = true;
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the device heap of PE " + myPe + " is closed");
    }
  }
}
