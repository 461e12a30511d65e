// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.cuda.CudaEvent;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.PinnedBuffer;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.ffi.Segments;
import io.symshuffle.heap.DeviceMapping;
import io.symshuffle.heap.Slab;
import io.symshuffle.kernel.AllReduce;
import io.symshuffle.shuffle.device.DeviceTier;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * The GPU memory of a PE, and the mappings of that of others. Before each PE's buffer are the flags
 * of all-reduces, which only its PE writes.
 *
 * <p>An event marks the end of all work that may use memory of other PEs, since the caller may
 * destroy its stream. So this memory is idle once no call runs and the event is reached.
 */
final class GpuBuffer implements Companion {
  private static final VarHandle WORD = Segments.varHandle(JAVA_LONG);

  private final DeviceTier tier;
  private final CudaStream stream;
  private final PinnedBuffer stop;
  private final CudaEvent end;
  private Slab slab;
  private final List<DeviceMapping> memories = new ArrayList<>();
  private volatile boolean calling;

  GpuBuffer(DeviceTier tier, long stream) {
    this.tier = tier;
    this.stream = tier.context().foreignStream(stream);
    this.stop = tier.context().allocatePinned(Long.BYTES);
    this.end = tier.context().newUntimedEvent();
    tier.context().prepareWaits();
    WORD.setRelease(stop.memory(), 0L, 0L);
  }

  CudaStream stream() {
    return stream;
  }

  /**
   * Allocates the memory, and queues that it becomes all zeros.
   *
   * @return where it is in the window of this executor's device heap
   */
  synchronized long allocate(MemoryServer server, long bytes) {
    long all = AllReduce.CONTROL_BYTES + bytes;
    slab =
        server.allocate(
            tier.slabs(),
            all,
            "device heap of PE " + tier.heap().myPe(),
            "spark.symshuffle.device.heap.size, or free memory of the GPU");
    stream.fill(tier.window().slice(slab.offset(), all), (byte) 0);
    return slab.offset();
  }

  /**
   * Maps the memory of the next PE, in their order.
   *
   * @param heapPe the PE number of its executor
   * @param offset what {@link #allocate} returned there
   */
  synchronized void map(int heapPe, long offset, long bytes, String name) {
    try {
      memories.add(
          tier.heap()
              .map(heapPe, offset, AllReduce.CONTROL_BYTES + bytes)
              .orElseThrow(
                  () ->
                      new SymmetricMemoryException(
                          "the GPU of PE %d cannot reach that of %s: both need a device heap of the same backend on the same host, and peer access"
                              .formatted(tier.heap().myPe(), name))));
    } catch (NativeCallException e) {
      throw new SymmetricMemoryException(
          "the GPU of PE %d cannot reach that of %s".formatted(tier.heap().myPe(), name), e);
    }
  }

  /** The buffer of a PE, without its flags. */
  DeviceRange of(int pe) {
    DeviceRange memory = memories.get(pe).range();
    return memory.slice(AllReduce.CONTROL_BYTES, memory.bytes() - AllReduce.CONTROL_BYTES);
  }

  List<Long> addresses() {
    return memories.stream().map(memory -> memory.range().address()).toList();
  }

  /** The address of the word that ends waits of the kernel. */
  long stopAddress() {
    return stop.range().address();
  }

  /** Ends waits of the kernel, now and in all later launches. */
  void stop() {
    WORD.setRelease(stop.memory(), 0L, 1L);
  }

  /**
   * Does something with the memory of PEs, which is not freed until what it queues is done.
   *
   * @param check throws an exception if this PE is closing its memory
   */
  void use(Runnable check, Runnable work) {
    // Set before the check. Closing first makes the check fail, then reads this flag, so one of the
    // two threads always sees the other.
    calling = true;
    boolean used = false;
    try {
      check.run();
      used = true;
      // A thread's default stream is another one in each thread.
      stream.await(end);
      work.run();
    } finally {
      if (used) {
        // If the GPU has failed, this memory stays in use.
        stream.record(end);
      }
      calling = false;
    }
  }

  @Override
  public boolean isIdle() {
    return !calling && end.isDone();
  }

  @Override
  public synchronized void free() {
    if (slab != null) {
      while (!memories.isEmpty()) {
        memories.removeLast().close();
      }
      tier.slabs().free(slab);
      slab = null;
    }
    stop.close();
    end.close();
  }
}
