// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue of work on the device. Calls return once the work is queued; it is done when {@link
 * #synchronize} returns, and the memory it reads and writes must stay valid until then. A failure
 * on the device may surface in any later call, and leaves the context unusable.
 *
 * <p>Thread-safe; callers that need an order must not queue concurrently.
 */
public final class CudaStream extends CudaObject {
  /** CUDA_ERROR_NOT_READY. */
  static final int NOT_READY = 600;

  /** Polls without a pause, for work of a few microseconds; then every 20 us, then every 200 us. */
  private static final long SPIN_NANOS = 100_000;

  private static final long SHORT_PAUSES_NANOS = 50_000_000;
  private static final long SHORT_PAUSE_NANOS = 20_000;
  private static final long LONG_PAUSE_NANOS = 200_000;

  /** Polls the driver at least this often, to notice failures. */
  private static final long ASK_NANOS = 5_000_000;

  /** After this time a wait logs what it waits for. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(CudaStream.class);

  private final boolean owned;

  CudaStream(CudaContext context, long handle, boolean owned) {
    super(context, handle);
    this.owned = owned;
  }

  /** Returns the CUstream, to pass to another library. */
  public long address() {
    return use();
  }

  /**
   * Copies within the device, or between it and a peer whose memory is mapped, with a copy engine.
   *
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
   * @param source native memory of the same length; unless it is pinned, this call has read it when
   *     it returns
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

  /** Fills a range with one byte. */
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

  /** Records an event at this point. */
  public void record(CudaEvent event) {
    long stream = use();
    context().driver().check(api().cuEventRecord(event.use(), stream), "cuEventRecord", event);
  }

  /** Makes the stream wait for an event of another stream. */
  public void await(CudaEvent event) {
    long stream = use();
    context()
        .driver()
        .check(api().cuStreamWaitEvent(stream, event.use(), 0), "cuStreamWaitEvent", event);
  }

  /** Returns whether all queued work is done. */
  public boolean isDone() {
    int code = api().cuStreamQuery(use());
    if (code != 0 && code != NOT_READY) {
      throw failure(code, "cuStreamQuery");
    }
    return code == 0;
  }

  /** Waits until all queued work is done, without a timeout. */
  public void synchronize() {
    int code = api().cuStreamSynchronize(use());
    if (code != 0) {
      throw failure(code, "cuStreamSynchronize");
    }
  }

  /**
   * Waits until all queued work is done, with a timeout.
   *
   * @throws TimeoutException when the time is up; the work continues
   */
  public void synchronize(Duration limit) throws TimeoutException {
    if (isDone()) {
      return;
    }
    long start = System.nanoTime();
    long asked = start;
    boolean said = false;
    try (CompletionFlags.Mark mark = context().marks().queue(use())) {
      for (long now = start; ; now = System.nanoTime()) {
        if (mark.isReached() || now - asked >= ASK_NANOS) {
          if (isDone()) {
            mark.done();
            return;
          }
          asked = now;
        }
        if (now - start >= limit.toNanos()) {
          throw new TimeoutException(
              "the work on a stream of %s is not done after %d ms"
                  .formatted(context().device(), limit.toMillis()));
        }
        if (!said && now - start >= PATIENCE.toNanos()) {
          said = true;
          LOG.warn(
              "Still waiting for the work on a stream of {}, for at most {} s in total",
              context().device(),
              limit.toSeconds());
        }
        if (now - start < SPIN_NANOS) {
          Thread.onSpinWait();
        } else {
          LockSupport.parkNanos(
              now - start < SHORT_PAUSES_NANOS ? SHORT_PAUSE_NANOS : LONG_PAUSE_NANOS);
        }
      }
    }
  }

  @Override
  int release(CudaApi api, long ownHandle) {
    return owned ? api.cuStreamDestroy(ownHandle) : 0;
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
