// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static java.util.Objects.requireNonNull;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * An order of work on the device. Calls return once the work is queued, and it is done when {@link
 * #synchronize} returns; what it reads and writes must live until then. A failure on the device may
 * show at any later call, and the context is unusable after it.
 *
 * <p>Threads: any, one at a time if the order matters.
 */
public final class CudaStream extends CudaObject {
  /** CUDA_ERROR_NOT_READY. */
  static final int NOT_READY = 600;

  /** Looks without a pause, for work of some microseconds; then naps of 20 us, then of 200. */
  private static final int SPINS = 200;

  private static final int NAPS = 1000;
  private static final long SHORT_NAP_NANOS = 20_000;
  private static final long LONG_NAP_NANOS = 200_000;

  private final boolean ours;

  CudaStream(CudaContext context, long handle, boolean ours) {
    super(context, handle);
    this.ours = ours;
  }

  /** {@return the CUstream, for another library's calls} */
  public long address() {
    return use();
  }

  /**
   * Copies inside the device, or between it and a peer whose memory is mapped, by a copy engine.
   *
   * @param destination where to
   * @param source where from, of the same length
   */
  public void copy(DeviceRange destination, DeviceRange source) {
    sameLength(destination.bytes(), source.bytes());
    if (source.bytes() == 0) {
      return;
    }
    long stream = use();
    int code =
        api().cuMemcpyDtoDAsync(destination.address(), source.address(), source.bytes(), stream);
    if (code != 0) {
      throw failure(code, "cuMemcpyDtoDAsync", destination, source);
    }
  }

  /**
   * Copies from host memory.
   *
   * @param destination where to
   * @param source native memory of the same length; unless it is pinned, it has been read when this
   *     returns
   */
  public void copyIn(DeviceRange destination, MemorySegment source) {
    sameLength(destination.bytes(), source.byteSize());
    if (source.byteSize() == 0) {
      return;
    }
    long stream = use();
    int code = api().cuMemcpyHtoDAsync(destination.address(), source, source.byteSize(), stream);
    if (code != 0) {
      throw failure(code, "cuMemcpyHtoDAsync", destination, source);
    }
  }

  /**
   * Copies to host memory.
   *
   * @param destination native memory
   * @param source where from, of the same length
   */
  public void copyOut(MemorySegment destination, DeviceRange source) {
    sameLength(destination.byteSize(), source.bytes());
    if (source.bytes() == 0) {
      return;
    }
    long stream = use();
    int code = api().cuMemcpyDtoHAsync(destination, source.address(), source.bytes(), stream);
    if (code != 0) {
      throw failure(code, "cuMemcpyDtoHAsync", destination, source);
    }
  }

  /**
   * Fills with one byte.
   *
   * @param destination what to fill
   * @param value the byte
   */
  public void fill(DeviceRange destination, byte value) {
    if (destination.bytes() == 0) {
      return;
    }
    long stream = use();
    context()
        .driver()
        .check(
            api().cuMemsetD8Async(destination.address(), value, destination.bytes(), stream),
            "cuMemsetD8Async",
            destination,
            value);
  }

  /**
   * Marks this point.
   *
   * @param event what takes the mark
   */
  public void record(CudaEvent event) {
    requireNonNull(event, "event is null");
    long stream = use();
    context().driver().check(api().cuEventRecord(event.use(), stream), "cuEventRecord", event);
  }

  /**
   * Holds the stream until an event of another stream is reached.
   *
   * @param event an event that has been recorded
   */
  public void await(CudaEvent event) {
    requireNonNull(event, "event is null");
    long stream = use();
    context()
        .driver()
        .check(api().cuStreamWaitEvent(stream, event.use(), 0), "cuStreamWaitEvent", event);
  }

  /** {@return whether all queued work is done} */
  public boolean isDone() {
    int code = api().cuStreamQuery(use());
    if (code != 0 && code != NOT_READY) {
      throw failure(code, "cuStreamQuery");
    }
    return code == 0;
  }

  /** Waits until all queued work is done. Not bounded. */
  public void synchronize() {
    int code = api().cuStreamSynchronize(use());
    if (code != 0) {
      throw failure(code, "cuStreamSynchronize");
    }
  }

  /**
   * Waits until all queued work is done, with a limit.
   *
   * @param limit how long to wait at most
   * @throws TimeoutException when the time is up; the work continues
   */
  public void synchronize(Duration limit) throws TimeoutException {
    long start = System.nanoTime();
    for (int looks = 0; !isDone(); looks++) {
      if (System.nanoTime() - start >= limit.toNanos()) {
        throw new TimeoutException(
            "the work on a stream of %s is not done after %d ms"
                .formatted(context().device(), limit.toMillis()));
      }
      if (looks < SPINS) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(looks < NAPS ? SHORT_NAP_NANOS : LONG_NAP_NANOS);
      }
    }
  }

  @Override
  int release(CudaApi api, long ownHandle) {
    return ours ? api.cuStreamDestroy(ownHandle) : 0;
  }

  private CudaApi api() {
    return context().driver().api();
  }

  private RuntimeException failure(int code, String function, Object... arguments) {
    return context().driver().failure(code, function, arguments);
  }

  private static void sameLength(long destination, long source) {
    if (destination != source) {
      throw new IllegalArgumentException(
          "cannot copy %d bytes to %d bytes".formatted(source, destination));
    }
  }
}
