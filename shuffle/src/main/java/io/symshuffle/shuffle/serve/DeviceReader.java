// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.serve;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.PinnedBuffer;
import io.symshuffle.shuffle.device.DeviceTier;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;

/**
 * Copies data of windows of the device heap to host memory, a piece at a time. Streams and pinned
 * buffers are kept and reused, one for each thread that copies at the same time. Thread-safe; one
 * per executor.
 */
final class DeviceReader implements AutoCloseable {
  private static final Duration GPU_LIMIT = Duration.ofSeconds(60);
  private static final int LANE_BYTES = 1 << 20;

  private final DeviceTier device;
  private final ConcurrentLinkedQueue<Lane> idle = new ConcurrentLinkedQueue<>();

  /** What one thread copies with; without a buffer if the system has no more pinned memory. */
  private record Lane(CudaStream stream, Optional<PinnedBuffer> buffer) implements AutoCloseable {
    @Override
    public void close() {
      stream.close();
      buffer.ifPresent(PinnedBuffer::close);
    }
  }

  DeviceReader(DeviceTier device) {
    this.device = device;
  }

  /**
   * Copies data; returns when it has been copied.
   *
   * @param place offset in the window
   * @param to a direct buffer, filled from its position to its limit
   * @throws IOException if that is not possible, or takes more than a minute
   */
  void read(int pe, long place, ByteBuffer to) throws IOException {
    int count = to.remaining();
    DeviceRange from =
        device
            .heap()
            .range(pe, place, count)
            .orElseThrow(
                () ->
                    new IOException(
                        "there is no GPU memory of PE %d for %d bytes at %d"
                            .formatted(pe, count, place)));
    MemorySegment target = MemorySegment.ofBuffer(to);
    try {
      Lane lane = idle.poll();
      if (lane == null) {
        lane = newLane();
      }
      for (int done = 0; done < count; ) {
        int step = Math.min(LANE_BYTES, count - done);
        MemorySegment part = target.asSlice(done, step);
        MemorySegment through =
            lane.buffer().map(buffer -> buffer.memory().asSlice(0, step)).orElse(part);
        lane.stream().copyOut(through, from.slice(done, step));
        lane.stream().synchronize(GPU_LIMIT);
        if (lane.buffer().isPresent()) {
          part.copyFrom(through);
        }
        done += step;
      }
      // After a failure, the GPU may still use them.
      idle.add(lane);
    } catch (TimeoutException | RuntimeException e) {
      throw new IOException("cannot copy it from GPU memory: " + e.getMessage(), e);
    }
    to.position(to.limit());
  }

  private Lane newLane() {
    CudaStream stream = device.context().newStream();
    Optional<PinnedBuffer> buffer;
    try {
      buffer = Optional.of(device.context().allocatePinned(LANE_BYTES));
    } catch (RuntimeException e) {
      buffer = Optional.empty();
    }
    return new Lane(stream, buffer);
  }

  @Override
  public void close() {
    for (Lane lane = idle.poll(); lane != null; lane = idle.poll()) {
      lane.close();
    }
  }
}
