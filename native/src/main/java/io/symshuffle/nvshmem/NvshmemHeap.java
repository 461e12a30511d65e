// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.heap.DeviceHeap;
import io.symshuffle.heap.DeviceMapping;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.heap.SlabBacking;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

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

  /** The window of each PE as this GPU maps it, by the PE's number. */
  private final SortedMap<Integer, Optional<DeviceRange>> windows;

  private final SlabAllocator slabs;
  private final long size;
  private volatile boolean closed;

  private NvshmemHeap(
      NvshmemRuntime runtime,
      int myPe,
      SortedMap<Integer, Optional<DeviceRange>> windows,
      long size) {
    this.runtime = runtime;
    this.myPe = myPe;
    this.windows = windows;
    this.size = size;
    this.slabs =
        new SlabAllocator(FIRST_OFFSET, size - FIRST_OFFSET, SlabBacking.none(), Long.MAX_VALUE);
  }

  /**
   * Creates the heaps of all PEs. All PEs call this together.
   *
   * @param pes the number of each PE, all different, in the order of NVSHMEM's numbers; the same on
   *     all PEs
   * @param bytes length of the window, more than 64 KiB, rounded up to 64 KiB; the same on all PEs
   * @return the open heap; the content of its window is undefined
   * @throws io.symshuffle.nvshmem.NvshmemException when there is not enough memory, or a PE is
   *     missing
   */
  public static NvshmemHeap create(NvshmemRuntime runtime, int[] pes, long bytes, Duration limit) {
    if (bytes <= FIRST_OFFSET || bytes > Long.MAX_VALUE / 2) {
      throw new IllegalArgumentException("cannot create a window of " + bytes + " bytes");
    }
    if (pes.length != runtime.peCount()
        || Arrays.stream(pes).distinct().count() != pes.length
        || Arrays.stream(pes).anyMatch(pe -> pe < 0)) {
      throw new IllegalArgumentException(
          "PEs %s: NVSHMEM started with %d, whose numbers must differ"
              .formatted(Arrays.toString(pes), runtime.peCount()));
    }
    SymmetricBuffer memory = runtime.allocate(windowBytes(bytes), limit);
    SortedMap<Integer, Optional<DeviceRange>> windows = new TreeMap<>();
    for (int index = 0; index < pes.length; index++) {
      windows.put(pes[index], memory.peer(index));
    }
    runtime.barrier(limit);
    return new NvshmemHeap(runtime, pes[runtime.myPe()], windows, memory.bytes());
  }

  /** Creates the heaps of all PEs with NVSHMEM's own numbers; see the other method. */
  public static NvshmemHeap create(NvshmemRuntime runtime, long bytes, Duration limit) {
    return create(runtime, IntStream.range(0, runtime.peCount()).toArray(), bytes, limit);
  }

  /** Returns the bytes of GPU memory that {@link #create} allocates for a length. */
  public static long windowBytes(long bytes) {
    return (bytes + GRANULE - 1) / GRANULE * GRANULE;
  }

  /** Returns NVSHMEM, whose numbers of PEs can be others. */
  public NvshmemRuntime runtime() {
    return runtime;
  }

  @Override
  public int myPe() {
    return myPe;
  }

  @Override
  public List<Integer> pes() {
    return List.copyOf(windows.keySet());
  }

  /** The PEs that started together: nobody else can read their windows. */
  @Override
  public String group() {
    return pes().toString();
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public DeviceRange window() {
    requireOpen();
    return windows.get(myPe).orElseThrow();
  }

  @Override
  public Optional<DeviceRange> range(int pe, long offset, long bytes) {
    requireOpen();
    return offset < 0 || bytes <= 0 || offset > size - bytes
        ? Optional.empty()
        : windows.getOrDefault(pe, Optional.empty()).map(window -> window.slice(offset, bytes));
  }

  /** Each window is mapped until the process ends. */
  @Override
  public Optional<DeviceMapping> map(int pe, long offset, long bytes) {
    return range(pe, offset, bytes).map(range -> new DeviceMapping(range, () -> {}));
  }

  @Override
  public SlabAllocator slabs() {
    return slabs;
  }

  /** All memory belongs to NVSHMEM from its start to its end. */
  @Override
  public void trim() {}

  /** Stops all NVSHMEM calls in this process, since they would wait for the lost PE forever. */
  @Override
  public void lost(int pe) {
    if (windows.containsKey(pe)) {
      runtime.giveUp("PE %d of the device epoch is lost".formatted(pe));
    }
  }

  /** All PEs have mapped all memory since the start. */
  @Override
  public void leave() {}

  /** Nothing is unmapped before the process ends. */
  @Override
  public void keepMapped() {}

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
