// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import io.symshuffle.ffi.DirectMemory;
import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.host.WindowCopies;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.CorruptIndexException;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.RunReader;
import io.symshuffle.shuffle.runtime.PeerPages;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Queue;

/**
 * Reads data from its tier: host memory in place, unless copying it is faster than to map it; GPU
 * memory and files through a buffer. Not thread-safe.
 */
final class TieredOutputReader implements OutputReader {
  private final MapOutput output;
  private final Optional<DeviceReader> device;
  private final PeerPages peerPages;
  private final Optional<WindowCopies> copies;
  private final Queue<ByteBuffer> buffers;
  private long hostBytes;
  private RunReader file;
  private ByteBuffer buffer;

  /**
   * @param buffers direct buffers that no reader uses, since only a collection would free them
   */
  TieredOutputReader(
      MapOutput output,
      Optional<DeviceReader> device,
      PeerPages peerPages,
      Optional<WindowCopies> copies,
      Queue<ByteBuffer> buffers) {
    this.output = output;
    this.device = device;
    this.peerPages = peerPages;
    this.copies = copies;
    this.buffers = buffers;
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
      MemorySegment memory = output.hostMemory(place, count);
      if (copies.isPresent()) {
        ByteBuffer to = bufferOf(count);
        copies.get().read(output.pe(), place, MemorySegment.ofBuffer(to));
        return to;
      }
      hostBytes += PeerPages.mappedBytes(count);
      return memory.asByteBuffer();
    } catch (CorruptIndexException | HeapException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private ByteBuffer fromDisk(long place, int count) throws IOException {
    if (file == null) {
      file = RunReader.open(output);
    }
    ByteBuffer to = bufferOf(count);
    file.read(place, to);
    return to.flip();
  }

  private ByteBuffer fromDevice(long place, int count) throws IOException {
    DeviceReader reader =
        device.orElseThrow(
            () -> new NoGpuException("it is in GPU memory, but this process has no GPU"));
    ByteBuffer to = bufferOf(count);
    reader.read(output.pe(), place, to);
    return to.flip();
  }

  /** The buffer with room for {@code count} bytes. */
  private ByteBuffer bufferOf(int count) {
    if (buffer == null) {
      buffer = buffers.poll();
    }
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
    if (buffer != null) {
      var unused = buffers.offer(buffer);
      buffer = null;
    }
    if (hostBytes > 0) {
      peerPages.read(hostBytes);
      hostBytes = 0;
    }
  }
}
