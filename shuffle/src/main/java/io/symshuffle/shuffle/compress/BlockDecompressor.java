// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.compress;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.shuffle.layout.PacketDescriptor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * Decompresses the packets that {@link BlockCompressor} writes. The bytes are those of another
 * host: any input results in exactly {@link PacketHeader#dataBytes} bytes or in an exception.
 * Whether these bytes are the ones that were written is for the frame's checksum to decide.
 *
 * <pre>{@code
 * PacketHeader header = PacketHeader.read(bytes);  // of PacketDescriptor.HEADER_BYTES
 * ByteBuffer body = ...;                         // the next header.bodyBytes() bytes
 * decompressor.decompress(header, body, data);   // header.dataBytes() bytes
 * }</pre>
 *
 * <p>An instance uses native memory of about twice the size of the largest packet so far, at most 2
 * MiB in all. Not thread-safe, but any thread may close it: one that reads for a task may outlive
 * the task, and gets an {@link IllegalStateException} then.
 */
public final class BlockDecompressor implements AutoCloseable {
  private final LZ4SafeDecompressor lz4 = LZ4Factory.fastestInstance().safeDecompressor();
  private final RecordPlanes records = new RecordPlanes();

  @GuardedBy("this")
  private ZstdDecompressCtx zstd;

  @GuardedBy("this")
  private boolean closed;

  /** A compressed body, if the caller's buffer is a Java array. */
  private ByteBuffer packed = ByteBuffer.allocateDirect(0);

  /** A body after decompression. */
  private ByteBuffer plain = ByteBuffer.allocateDirect(0);

  /**
   * Decompresses one packet.
   *
   * @param body its body, at the position; at least {@link PacketHeader#bodyBytes} bytes, which are
   *     consumed
   * @param data gets {@link PacketHeader#dataBytes} bytes at its start; native memory or a {@code
   *     byte[]}. Its content is undefined after an exception.
   * @throws CorruptPacketException if the packet is damaged
   * @throws IllegalArgumentException if a buffer is too small
   */
  public void decompress(PacketHeader header, ByteBuffer body, MemorySegment data)
      throws CorruptPacketException {
    if (body.remaining() < header.bodyBytes() || data.byteSize() < header.dataBytes()) {
      throw new IllegalArgumentException(
          "a body of %d bytes or space for %d bytes of data is too little for %s"
              .formatted(body.remaining(), data.byteSize(), header));
    }
    ByteBuffer content = unpack(header, direct(body, header.bodyBytes()));
    if (header.layout() == PacketDescriptor.OPAQUE) {
      MemorySegment.copy(MemorySegment.ofBuffer(content), 0, data, 0, header.dataBytes());
      return;
    }
    Object array = Memory.array(data);
    long start = Memory.offset(data);
    long address = MemorySegment.ofBuffer(content).address();
    if (header.layout() == PacketDescriptor.OPAQUE_WORDS) {
      RecordPlanes.joinWords(array, start, header.dataBytes(), address);
    } else {
      records.join(header, address, array, start);
    }
  }

  /**
   * Decompresses the next one of the packets of a block.
   *
   * @param packets the packets, or at least the next one, which is consumed
   * @param data gets its data at the start; native memory or a {@code byte[]}
   * @return number of bytes of data
   * @throws CorruptPacketException if the packet is damaged, or longer than what is left of either
   */
  public int next(ByteBuffer packets, MemorySegment data) throws CorruptPacketException {
    if (packets.remaining() < PacketDescriptor.HEADER_BYTES) {
      throw new CorruptPacketException(
          "%d bytes are too few for a packet".formatted(packets.remaining()));
    }
    PacketHeader header = PacketHeader.read(packets);
    packets.position(packets.position() + PacketDescriptor.HEADER_BYTES);
    if (header.bodyBytes() > packets.remaining() || header.dataBytes() > data.byteSize()) {
      throw new CorruptPacketException(
          "a body of %d bytes or space for %d bytes of data is too little for %s"
              .formatted(packets.remaining(), data.byteSize(), header));
    }
    decompress(header, packets, data);
    return header.dataBytes();
  }

  /** The next bytes of a buffer, in native memory. */
  private ByteBuffer direct(ByteBuffer body, int bytes) {
    ByteBuffer slice = body.slice(body.position(), bytes);
    body.position(body.position() + bytes);
    if (slice.isDirect()) {
      return slice;
    }
    packed = withCapacity(packed, bytes);
    return packed.put(slice).flip();
  }

  /** Decompresses a body; returns {@link PacketHeader#plainBytes} bytes of native memory. */
  private ByteBuffer unpack(PacketHeader header, ByteBuffer body) throws CorruptPacketException {
    if (header.codec() == Codec.NONE) {
      return body;
    }
    int expected = header.plainBytes();
    plain = withCapacity(plain, expected);
    int found;
    try {
      found =
          header.codec() == Codec.LZ4
              ? lz4.decompress(body, 0, body.limit(), plain, 0, expected)
              : unpackZstd(body, expected);
    } catch (LZ4Exception | ZstdException e) {
      throw new CorruptPacketException("cannot decompress " + header, e);
    }
    if (found != expected) {
      throw new CorruptPacketException(
          "%d bytes instead of %d in the body of %s".formatted(found, expected, header));
    }
    return plain.limit(expected);
  }

  private synchronized int unpackZstd(ByteBuffer body, int expected) {
    if (closed) {
      throw new IllegalStateException("the task that this thread reads for has ended");
    }
    if (zstd == null) {
      zstd = new ZstdDecompressCtx();
    }
    return zstd.decompressDirectByteBuffer(plain, 0, expected, body, 0, body.limit());
  }

  /** An empty direct buffer with at least some capacity: this one, or a new one. */
  private static ByteBuffer withCapacity(ByteBuffer buffer, int bytes) {
    return buffer.capacity() >= bytes ? buffer.clear() : Memory.allocateDirect(bytes);
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (zstd != null) {
      zstd.close();
    }
  }
}
