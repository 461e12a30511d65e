// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.ffi.DirectMemory;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.CorruptIndexException;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.RunReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/**
 * Reads data from its tier: host memory in place, GPU memory and files through a buffer. Not
 * thread-safe.
 */
final class TieredOutputReader implements OutputReader {
  private static final Duration GPU_LIMIT = Duration.ofSeconds(60);

  private final MapOutput output;
  private final Optional<DeviceTier> device;
  private RunReader file;
  private CudaStream stream;
  private ByteBuffer buffer;

  TieredOutputReader(MapOutput output, Optional<DeviceTier> device) {
    this.output = requireNonNull(output, "output is null");
    this.device = requireNonNull(device, "device is null");
  }

  @Override
  public ByteBuffer read(Tier tier, long place, int count) throws IOException {
    return switch (tier) {
      case HOST -> fromHost(place, count);
      case DISK -> fromDisk(place, count);
      case DEVICE -> fromDevice(place, count);
    };
  }

  private ByteBuffer fromHost(long place, int count) throws IOException {
    try {
      return output.hostMemory(place, count).asByteBuffer();
    } catch (CorruptIndexException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private ByteBuffer fromDisk(long place, int count) throws IOException {
    if (file == null) {
      file = RunReader.open(output.file());
    }
    ByteBuffer to = bufferOf(count);
    file.read(place, to);
    return to.flip();
  }

  private ByteBuffer fromDevice(long place, int count) throws IOException {
    DeviceTier tier =
        device.orElseThrow(
            () -> new IOException("it is in GPU memory, but this process has no GPU"));
    DeviceRange from =
        tier.rangeOf(tier.myPe(), place, count)
            .orElseThrow(
                () ->
                    new IOException(
                        "there is no GPU memory for %d bytes at %d".formatted(count, place)));
    if (stream == null) {
      stream = tier.context().newStream();
    }
    ByteBuffer to = bufferOf(count);
    try {
      stream.copyOut(MemorySegment.ofBuffer(to), from);
      stream.synchronize(GPU_LIMIT);
    } catch (TimeoutException | RuntimeException e) {
      throw new IOException("cannot copy it from GPU memory: " + e.getMessage(), e);
    }
    return to;
  }

  /** The buffer with room for {@code count} bytes; reused, since only the GC frees its memory. */
  private ByteBuffer bufferOf(int count) {
    if (buffer == null || buffer.capacity() < count) {
      buffer =
          DirectMemory.require(
              "a buffer of %d bytes to send blocks", count, () -> ByteBuffer.allocateDirect(count));
    }
    return buffer.clear().limit(count);
  }

  @Override
  public void close() {
    if (file != null) {
      file.close();
      file = null;
    }
    if (stream != null) {
      stream.close();
      stream = null;
    }
  }
}
