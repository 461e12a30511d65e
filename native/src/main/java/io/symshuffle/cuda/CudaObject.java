// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import io.symshuffle.ffi.CallText;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns a driver object that has a handle. It is closed once and refuses use after close. A failed
 * close is logged, since callers cannot do anything about it.
 */
abstract sealed class CudaObject implements AutoCloseable
    permits AddressRange,
        CudaEvent,
        CudaModule,
        CudaStream,
        DeviceBuffer,
        PinnedBuffer,
        SharedMemory {
  private static final Logger LOG = LoggerFactory.getLogger(CudaObject.class);

  private final CudaContext context;
  private final long handle;
  private final AtomicBoolean closed = new AtomicBoolean();

  CudaObject(CudaContext context, long handle) {
    this.context = context;
    this.handle = handle;
  }

  /** Returns its context. */
  public final CudaContext context() {
    return context;
  }

  /** Makes the context current on this thread and returns the handle. */
  final long use() {
    if (closed.get()) {
      throw new IllegalStateException(this + " is closed");
    }
    context.use();
    return handle;
  }

  /** Returns the handle without making the context current. */
  final long handle() {
    return handle;
  }

  final boolean isClosed() {
    return closed.get();
  }

  /** Releases the object; the context is current. */
  abstract int release(CudaApi api, long ownHandle);

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      context.use();
      int code = release(context.driver().api(), handle);
      if (code != 0) {
        LOG.warn("Cannot release {}: {}", this, context.driver().describe(code));
      }
    } catch (RuntimeException e) {
      LOG.warn("Cannot release {}", this, e);
    }
  }

  @Override
  public String toString() {
    return getClass().getSimpleName() + " " + CallText.hex(handle);
  }
}
