// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import java.lang.foreign.MemorySegment;

/** Host memory of somebody else's that is pinned and that kernels can address. Threads: any. */
public final class HostRegistration extends CudaObject {
  private final MemorySegment memory;
  private final DeviceRange range;

  HostRegistration(CudaContext context, MemorySegment memory, long deviceAddress) {
    super(context, memory.address());
    this.memory = memory;
    this.range = new DeviceRange(deviceAddress, memory.byteSize());
  }

  /** {@return the memory as the GPU sees it} */
  public DeviceRange range() {
    if (isClosed()) {
      throw new IllegalStateException(this + " is closed");
    }
    return range;
  }

  @Override
  int release(CudaApi api, long ownHandle) {
    return api.cuMemHostUnregister(memory);
  }
}
