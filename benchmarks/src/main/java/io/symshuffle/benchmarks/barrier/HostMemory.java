// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.barrier;

import io.symshuffle.barrier.ElementType;
import io.symshuffle.barrier.Reduction;
import io.symshuffle.barrier.SymmetricMemory;
import java.lang.foreign.MemorySegment;

/** {@link SymmetricMemory}. */
record HostMemory(SymmetricMemory memory) implements TaskMemory {
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
    memory.local().asSlice(offset, from.byteSize()).copyFrom(from);
  }

  @Override
  public void read(long offset, MemorySegment to) {
    to.copyFrom(memory.local().asSlice(offset, to.byteSize()));
  }

  @Override
  public void close() {
    memory.close();
  }
}
