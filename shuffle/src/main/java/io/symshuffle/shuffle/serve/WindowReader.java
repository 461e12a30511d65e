// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.shuffle.device.DeviceTier;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/**
 * Copies pieces out of the own window of the device heap, for whoever cannot reach it. Not
 * thread-safe.
 */
final class WindowReader implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final Optional<DeviceTier> device;
  private CudaStream stream;

  WindowReader(Optional<DeviceTier> device) {
    this.device = requireNonNull(device, "device is null");
  }

  /**
   * Fills a buffer.
   *
   * @param place offset in the own window
   * @param to a direct buffer; its remaining bytes are filled, its position stays
   * @throws IOException if there is no such memory here, or the GPU does not copy it
   */
  void read(long place, ByteBuffer to) throws IOException {
    DeviceTier tier =
        device.orElseThrow(
            () -> new IOException("it lies in GPU memory and this process has no GPU"));
    if (place < 0 || place > tier.window().bytes() - to.remaining()) {
      throw new IOException(
          "%d bytes at %d of a device window of %d bytes"
              .formatted(to.remaining(), place, tier.window().bytes()));
    }
    if (stream == null) {
      stream = tier.context().newStream();
    }
    DeviceRange from = tier.window().slice(place, to.remaining());
    try {
      stream.copyOut(MemorySegment.ofBuffer(to), from);
      stream.synchronize(LIMIT);
    } catch (TimeoutException | RuntimeException e) {
      throw new IOException("it cannot be copied from GPU memory: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    if (stream != null) {
      stream.close();
      stream = null;
    }
  }
}
