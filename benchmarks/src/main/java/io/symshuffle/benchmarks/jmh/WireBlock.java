// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.jmh;

import io.symshuffle.shuffle.compress.BlockCompressor;
import io.symshuffle.shuffle.compress.BlockDecompressor;
import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.compress.CorruptPacketException;
import io.symshuffle.shuffle.compress.FrameShape;
import io.symshuffle.shuffle.compress.PacketHeader;
import io.symshuffle.shuffle.layout.PacketDescriptor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** A block that is compressed and decompressed repeatedly. Not thread-safe. */
public final class WireBlock implements AutoCloseable {
  private final Arena arena = Arena.ofShared();
  private final BlockCompressor compressor;
  private final BlockDecompressor decompressor = new BlockDecompressor();
  private final MemorySegment data;
  private final MemorySegment restored;
  private final ByteBuffer packet;
  private final byte[] packets;
  private final int packetsBytes;

  /**
   * Compresses a block once, and checks that it can be restored.
   *
   * @param block frames of records
   */
  public WireBlock(byte[] block, Codec codec, int zstdLevel, int packetBytes) {
    compressor = new BlockCompressor(codec, zstdLevel, packetBytes);
    data = arena.allocate(block.length, 4096);
    data.copyFrom(MemorySegment.ofArray(block));
    restored = MemorySegment.ofArray(new byte[block.length]);
    packet = ByteBuffer.allocateDirect(compressor.maxPacketBytes());
    packets = new byte[2 * block.length + PacketDescriptor.HEADER_BYTES];
    int used = 0;
    for (long done = begin(); done < data.byteSize(); ) {
      done += compressor.compress(data.asSlice(done), packet.clear());
      int bytes = packet.flip().remaining();
      packet.get(packets, used, bytes);
      used += bytes;
    }
    packetsBytes = used;
    decompress();
    if (data.mismatch(restored) != -1) {
      throw new IllegalStateException("A block was not restored");
    }
  }

  /** Size of the block, in bytes. */
  public long bytes() {
    return data.byteSize();
  }

  /** Compresses the block; returns the compressed size, in bytes. */
  public long compress() {
    long sum = 0;
    for (long done = begin(); done < data.byteSize(); ) {
      done += compressor.compress(data.asSlice(done), packet.clear());
      sum += packet.position();
    }
    return sum;
  }

  /** Decompresses the block; returns its size, in bytes. */
  public long decompress() {
    ByteBuffer from = ByteBuffer.wrap(packets, 0, packetsBytes);
    long done = 0;
    try {
      while (from.hasRemaining()) {
        PacketHeader header = PacketHeader.read(from);
        from.position(from.position() + PacketDescriptor.HEADER_BYTES);
        decompressor.decompress(header, from, restored.asSlice(done));
        done += header.dataBytes();
      }
    } catch (CorruptPacketException e) {
      throw new IllegalStateException(e);
    }
    return done;
  }

  private long begin() {
    compressor.begin(FrameShape.RECORDS);
    return 0;
  }

  @Override
  public void close() {
    compressor.close();
    decompressor.close();
    arena.close();
  }
}
