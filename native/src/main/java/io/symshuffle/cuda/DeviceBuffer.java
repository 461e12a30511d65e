// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

/** Device memory that we own. Threads: any. */
public final class DeviceBuffer extends CudaObject {
  private final long bytes;

  DeviceBuffer(CudaContext context, long address, long bytes) {
    super(context, address);
    this.bytes = bytes;
  }

  /** {@return all of it; do not use it after close} */
  public DeviceRange range() {
    if (isClosed()) {
      throw new IllegalStateException(this + " is closed");
    }
    return new DeviceRange(handle(), bytes);
  }

  @Override
  int release(CudaApi api, long ownHandle) {
    return api.cuMemFree(ownHandle);
  }
}
