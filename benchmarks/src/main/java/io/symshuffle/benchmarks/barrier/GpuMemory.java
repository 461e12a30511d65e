// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.barrier;

import io.symshuffle.barrier.ElementType;
import io.symshuffle.barrier.GpuSymmetricMemory;
import io.symshuffle.barrier.Reduction;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.lang.foreign.MemorySegment;
import org.apache.spark.BarrierTaskContext;

/** {@link GpuSymmetricMemory}; the collectives of other libraries use the same memory. */
class GpuMemory implements TaskMemory {
  private final DeviceTier tier;
  private final CudaStream stream;
  private final GpuSymmetricMemory memory;

  GpuMemory(BarrierTaskContext task, long bytes) {
    tier = ShuffleRuntime.require().device().orElseThrow();
    stream = tier.context().newStream();
    memory = GpuSymmetricMemory.open(task, bytes, stream.address());
  }

  @Override
  public int pe() {
    return memory.pe();
  }

  @Override
  public int peCount() {
    return memory.peCount();
  }

  @Override
  public void allReduce(long count) {
    memory.allReduce(Reduction.SUM, ElementType.FLOAT, 0, count);
  }

  @Override
  public void allGather(long blockBytes) {
    memory.allGather(0, blockBytes);
  }

  @Override
  public void allToAll(long blockBytes) {
    memory.allToAll(0, blockBytes * peCount(), blockBytes);
  }

  @Override
  public void write(long offset, MemorySegment from) {
    memory.copyIn(offset, from);
  }

  @Override
  public void read(long offset, MemorySegment to) {
    memory.copyOut(offset, to);
  }

  final DeviceTier tier() {
    return tier;
  }

  final CudaStream stream() {
    return stream;
  }

  /** Returns where the GPU addresses a byte of this PE's memory. */
  final long address(long offset) {
    return memory.local().address() + offset;
  }

  @Override
  public void close() {
    memory.close();
    stream.close();
  }
}
