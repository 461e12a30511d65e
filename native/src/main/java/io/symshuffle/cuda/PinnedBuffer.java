// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import io.symshuffle.ffi.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Owns pinned host memory: copies to and from it run at full speed, and kernels can address it.
 * Thread-safe.
 */
public final class PinnedBuffer extends CudaObject {
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;

  PinnedBuffer(CudaContext context, long address, long bytes) {
    super(context, address);
    this.memory = NativeMemory.at(address, bytes, arena);
  }

  /** Returns the memory; it refuses access after close. */
  public MemorySegment memory() {
    return memory;
  }

  /** Returns the same bytes, as the GPU addresses them. */
  public DeviceRange range() {
    if (isClosed()) {
      throw new IllegalStateException(this + " is closed");
    }
    return new DeviceRange(handle(), memory.byteSize());
  }

  @Override
  int release(CudaApi api, long ownHandle) {
    arena.close();
    return api.cuMemFreeHost(ownHandle);
  }
}
