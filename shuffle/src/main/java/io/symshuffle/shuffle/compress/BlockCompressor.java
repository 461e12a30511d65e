// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.compress;

import static io.symshuffle.shuffle.layout.PacketDescriptor.HEADER_BYTES;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import io.symshuffle.shuffle.layout.PacketDescriptor;
import io.symshuffle.shuffle.layout.RecordDescriptor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Optional;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import org.apache.spark.unsafe.Platform;

/**
 * Compresses the bytes that are sent for a block, packet by packet. Call {@link #begin} for each
 * block, then {@link #compress} until all its bytes are consumed:
 *
 * <pre>{@code
 * compressor.begin(FrameShape.RECORDS);
 * for (long done = 0; done < bytes.byteSize(); ) {
 *   ByteBuffer packet = ...;  // direct, with room for maxPacketBytes()
 *   done += compressor.compress(bytes.asSlice(done), packet);
 *   send(packet.flip());
 * }
 * }</pre>
 *
 * <p>A packet contains records of several frames, since the frames of a map task with many
 * partitions are too short to be compressed well.
 *
 * <p>An instance uses about twice its packet size of memory and can be used for any number of
 * blocks. Not thread-safe.
 */
public final class BlockCompressor implements AutoCloseable {
  /** Default size of the data of a packet: 128 KiB. */
  public static final int PACKET_BYTES = 128 << 10;

  private static final int ZSTD_LEVEL = 1;

  /** Opaque data: bytes in the middle of a packet that are compressed twice, to choose a layout. */
  private static final int SAMPLE_BYTES = 4 << 10;

  private final Codec codec;
  private final int packetBytes;
  private final LZ4Compressor lz4;
  private final ZstdCompressCtx zstd;
  private final int maxBodyBytes;
  private final RecordPlanes records = new RecordPlanes();

  /** The body of a packet before compression. */
  private final ByteBuffer body;

  private final long bodyAddress;

  private FrameShape shape = FrameShape.OPAQUE;

  /** Bytes of a group of records that is longer than a packet and not yet consumed. */
  private long restOfGroup;

  /**
   * Creates a compressor for packets of {@link #PACKET_BYTES}.
   *
   * @param codec codec of all packets that it makes smaller
   */
  public BlockCompressor(Codec codec) {
    this(codec, PACKET_BYTES);
  }

  /**
   * @param codec codec of all packets that it makes smaller
   * @param packetBytes maximum size of the data of a packet, in bytes; a multiple of 8, at most
   *     {@link PacketDescriptor#MAX_DATA_BYTES}
   */
  public BlockCompressor(Codec codec, int packetBytes) {
    this.codec = codec;
    if (packetBytes <= 0
        || packetBytes > PacketDescriptor.MAX_DATA_BYTES
        || (packetBytes & 7) != 0) {
      throw new IllegalArgumentException(
          "packets cannot have %d bytes of data: give a multiple of 8, at most %d"
              .formatted(packetBytes, PacketDescriptor.MAX_DATA_BYTES));
    }
    this.packetBytes = packetBytes;
    this.lz4 = codec == Codec.LZ4 ? LZ4Factory.fastestInstance().fastCompressor() : null;
    this.zstd = codec == Codec.ZSTD ? new ZstdCompressCtx().setLevel(ZSTD_LEVEL) : null;
    this.maxBodyBytes =
        switch (codec) {
          case NONE -> packetBytes;
          case LZ4 -> lz4.maxCompressedLength(packetBytes);
          case ZSTD -> Math.toIntExact(Zstd.compressBound(packetBytes));
        };
    this.body = ByteBuffer.allocateDirect(packetBytes);
    this.bodyAddress = MemorySegment.ofBuffer(body).address();
  }

  /** Space that {@link #compress} needs for a packet, in bytes; more than it usually writes. */
  public int maxPacketBytes() {
    return HEADER_BYTES + maxBodyBytes;
  }

  /** Begins a block. */
  public void begin(FrameShape content) {
    shape = content;
    restOfGroup = 0;
  }

  /**
   * Compresses the next packet of the block. It ends between two groups of records, except for
   * parts of a group that is longer than a packet.
   *
   * @param data the bytes that are not consumed yet, or the first of them: all, or at least the
   *     packet size; native memory or a {@code byte[]}
   * @param packet gets the packet, at its position; a direct buffer with at least {@link
   *     #maxPacketBytes} bytes left
   * @return number of bytes consumed, at least 1
   */
  public int compress(MemorySegment data, ByteBuffer packet) {
    if (data.byteSize() == 0 || !packet.isDirect() || packet.remaining() < maxPacketBytes()) {
      throw new IllegalArgumentException(
          "%d bytes of data into %s; a packet needs up to %d bytes"
              .formatted(data.byteSize(), packet, maxPacketBytes()));
    }
    int available = (int) Math.min(packetBytes, data.byteSize());
    if (shape == FrameShape.RECORDS && restOfGroup == 0) {
      Object array = Memory.array(data);
      long start = Memory.offset(data);
      Optional<PacketHeader> header = records.measure(array, start, available);
      if (header.isPresent() && !header.get().isOpaque()) {
        records.split(header.get(), array, start, bodyAddress);
        write(header.get(), packet);
        return header.get().dataBytes();
      }
      if (header.isPresent()) {
        available = header.get().dataBytes();
      } else {
        // A group that is longer than a packet is cut into opaque packets.
        restOfGroup = groupBytes(array, start, available);
      }
    }
    if (restOfGroup != 0) {
      available = (int) Math.min(available, restOfGroup);
      restOfGroup -= available;
    }
    writeOpaque(data.asSlice(0, available), packet);
    return available;
  }

  /** Size of the group at the start of the data; unlimited if there is none. */
  private static long groupBytes(Object array, long start, int available) {
    if (available < RecordDescriptor.HEADER_BYTES) {
      return Long.MAX_VALUE;
    }
    int length = Platform.getInt(array, start + RecordDescriptor.LENGTH_OFFSET);
    int count = Platform.getInt(array, start + RecordDescriptor.COUNT_OFFSET);
    return length < 0 || count <= 0 ? Long.MAX_VALUE : RecordDescriptor.sizeOf(length, count);
  }

  /** Writes a packet of any bytes, transposed as words if that makes a sample smaller. */
  private void writeOpaque(MemorySegment data, ByteBuffer packet) {
    Object array = Memory.array(data);
    long start = Memory.offset(data);
    int bytes = (int) data.byteSize();
    int sample = Math.min(SAMPLE_BYTES, bytes);
    int layout = PacketDescriptor.OPAQUE;
    if (codec != Codec.NONE) {
      long from = start + (((bytes - sample) / 2) & -Long.BYTES);
      Platform.copyMemory(array, from, null, bodyAddress, sample);
      int plain = compressBody(sample, packet);
      RecordPlanes.splitWords(array, from, sample, bodyAddress);
      if (compressBody(sample, packet) < plain) {
        layout = PacketDescriptor.OPAQUE_WORDS;
      }
    }
    if (layout == PacketDescriptor.OPAQUE) {
      Platform.copyMemory(array, start, null, bodyAddress, bytes);
    } else {
      RecordPlanes.splitWords(array, start, bytes, bodyAddress);
    }
    write(PacketHeader.opaque(layout, bytes), packet);
  }

  /** Writes a packet with the body, compressed if that makes it smaller. */
  private void write(PacketHeader plain, ByteBuffer packet) {
    int bytes = plain.bodyBytes();
    int compressed = compressBody(bytes, packet);
    PacketHeader header = plain;
    if (compressed < bytes) {
      header = plain.withBody(codec, compressed);
    } else {
      packet.put(packet.position() + HEADER_BYTES, body, 0, bytes);
    }
    header.write(packet);
    packet.position(packet.position() + HEADER_BYTES + header.bodyBytes());
  }

  /** Compresses the first bytes of the body to their place in a packet; returns their new size. */
  private int compressBody(int bytes, ByteBuffer packet) {
    int to = packet.position() + HEADER_BYTES;
    int room = packet.limit() - to;
    return switch (codec) {
      case NONE -> bytes;
      case LZ4 -> lz4.compress(body, 0, bytes, packet, to, room);
      case ZSTD -> zstd.compressDirectByteBuffer(packet, to, room, body, 0, bytes);
    };
  }

  @Override
  public void close() {
    if (zstd != null) {
      zstd.close();
    }
  }
}
