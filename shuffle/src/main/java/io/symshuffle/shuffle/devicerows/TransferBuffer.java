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
 * Pinned host memory, GPU memory and a stream that belong together: what one run needs on its way
 * to the GPU, or one fetch on its way back.
 *
 * <p>Threads: that of one task at a time. Whoever gives it back has seen to it that its stream is
 * at rest.
 */
final class TransferBuffer implements AutoCloseable {
  private final boolean writes;
  private final CudaStream stream;
  private final PinnedBuffer host;
  private final DeviceBuffer gpu;

  private TransferBuffer(boolean writes, CudaStream stream, PinnedBuffer host, DeviceBuffer gpu) {
    this.writes = writes;
    this.stream = requireNonNull(stream, "stream is null");
    this.host = requireNonNull(host, "host is null");
    this.gpu = requireNonNull(gpu, "gpu is null");
  }

  /**
   * A buffer of its own.
   *
   * @throws io.symshuffle.ffi.NativeCallException if there is no memory for it; nothing is taken
   *     then
   */
  static TransferBuffer open(CudaContext context, boolean writes, long hostBytes, long gpuBytes) {
    CudaStream stream = context.newStream();
    PinnedBuffer host = null;
    DeviceBuffer gpu = null;
    try {
      host = context.allocatePinned(hostBytes);
      gpu = context.allocate(gpuBytes);
      return new TransferBuffer(writes, stream, host, gpu);
    } finally {
      if (gpu == null) {
        if (host != null) {
          host.close();
        }
        stream.close();
      }
    }
  }

  /** Whether it is one for writing, with temporary memory for the sort. */
  boolean writes() {
    return writes;
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
   * Waits until nothing on the GPU uses it any more.
   *
   * @throws TimeoutException if that is not so after {@code limit}
   * @throws io.symshuffle.ffi.NativeCallException if the GPU has failed
   */
  void rest(Duration limit) throws TimeoutException {
    stream.synchronize(limit);
  }

  @Override
  public void close() {
    stream.close();
    host.close();
    gpu.close();
  }
}
