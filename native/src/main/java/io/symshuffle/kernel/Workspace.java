// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.DeviceBuffer;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.PinnedBuffer;
import java.lang.foreign.MemorySegment;

/**
 * The status of a launch, followed by its tables: in pinned memory, where the host writes them, and
 * in device memory, where the kernel reads them.
 */
final class Workspace implements AutoCloseable {
  private final PinnedBuffer host;
  private final DeviceBuffer device;

  Workspace(CudaContext context, long bytes) {
    host = context.allocatePinned(bytes);
    try {
      device = context.allocate(bytes);
    } catch (RuntimeException e) {
      host.close();
      throw e;
    }
  }

  MemorySegment host() {
    return host.memory();
  }

  DeviceRange device() {
    return device.range();
  }

  @Override
  public void close() {
    device.close();
    host.close();
  }
}
