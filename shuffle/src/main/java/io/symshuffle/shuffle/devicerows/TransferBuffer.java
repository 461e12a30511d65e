// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.devicerows;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceBuffer;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.PinnedBuffer;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/**
 * Pinned host memory, GPU memory and a stream for one transfer: a run to the GPU, or a fetch from
 * it.
 *
 * <p>Used by one task thread at a time. When it is returned, its stream is idle.
 */
final class TransferBuffer implements AutoCloseable {
  private final boolean forWriting;
  private final CudaStream stream;
  private final PinnedBuffer host;
  private final DeviceBuffer gpu;

  private TransferBuffer(
      boolean forWriting, CudaStream stream, PinnedBuffer host, DeviceBuffer gpu) {
    this.forWriting = forWriting;
    this.stream = requireNonNull(stream, "stream is null");
    this.host = requireNonNull(host, "host is null");
    this.gpu = requireNonNull(gpu, "gpu is null");
  }

  /**
   * Allocates a buffer.
   *
   * @throws io.symshuffle.ffi.NativeCallException if there is no memory for it; nothing is
   *     allocated then
   */
  static TransferBuffer open(
      CudaContext context, boolean forWriting, long hostBytes, long gpuBytes) {
    CudaStream stream = context.newStream();
    PinnedBuffer host = null;
    DeviceBuffer gpu = null;
    try {
      host = context.allocatePinned(hostBytes);
      gpu = context.allocate(gpuBytes);
      return new TransferBuffer(forWriting, stream, host, gpu);
    } finally {
      if (gpu == null) {
        if (host != null) {
          host.close();
        }
        stream.close();
      }
    }
  }

  /** Whether this buffer is for writing, with temporary memory for the sort. */
  boolean forWriting() {
    return forWriting;
  }

  /** {@return its stream} */
  CudaStream stream() {
    return stream;
  }

  /** {@return its pinned host memory; page aligned} */
  MemorySegment host() {
    return host.memory();
  }

  /** {@return its GPU memory; 256-byte aligned} */
  DeviceRange gpu() {
    return gpu.range();
  }

  /**
   * Waits until the GPU no longer uses this buffer.
   *
   * @throws TimeoutException if that takes longer than {@code limit}
   * @throws io.symshuffle.ffi.NativeCallException if the GPU failed
   */
  void awaitIdle(Duration limit) throws TimeoutException {
    stream.synchronize(limit);
  }

  @Override
  public void close() {
    stream.close();
    host.close();
    gpu.close();
  }
}
