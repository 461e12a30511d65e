// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

/** Owns device memory. Thread-safe. */
public final class DeviceBuffer extends CudaObject {
  private final long bytes;

  DeviceBuffer(CudaContext context, long address, long bytes) {
    super(context, address);
    this.bytes = bytes;
  }

  /** Returns the whole buffer; do not use it after close. */
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
