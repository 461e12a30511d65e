// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import io.symshuffle.ffi.CallText;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns something of the driver's that has a handle: closes it once, refuses use after close, and
 * logs a close that fails, since callers could not do anything about it.
 */
abstract sealed class CudaObject implements AutoCloseable
    permits CudaEvent, CudaModule, CudaStream, DeviceBuffer, PinnedBuffer {
  private static final Logger LOG = LoggerFactory.getLogger(CudaObject.class);

  private final CudaContext context;
  private final long handle;
  private final AtomicBoolean closed = new AtomicBoolean();

  CudaObject(CudaContext context, long handle) {
    this.context = context;
    this.handle = handle;
  }

  /** {@return the context that it lives in} */
  public final CudaContext context() {
    return context;
  }

  /** The handle, for a call that follows; the context is current on this thread afterwards. */
  final long use() {
    if (closed.get()) {
      throw new IllegalStateException(this + " is closed");
    }
    context.use();
    return handle;
  }

  /** The handle without a look at the context. */
  final long handle() {
    return handle;
  }

  final boolean isClosed() {
    return closed.get();
  }

  /** Gives it back; the context is current. */
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
        LOG.warn("{} could not be released: {}", this, context.driver().describe(code));
      }
    } catch (RuntimeException e) {
      LOG.warn("{} could not be released", this, e);
    }
  }

  @Override
  public String toString() {
    return getClass().getSimpleName() + " " + CallText.hex(handle);
  }
}
