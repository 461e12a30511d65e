// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import io.symshuffle.shuffle.compress.BlockCompressor;
import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.compress.FrameShape;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Compresses blocks into packets, one block after the other. Uses about 1.5 MiB of native memory,
 * which stays allocated. Used by one thread at a time.
 */
final class PacketWriter implements AutoCloseable {
  private static final int BUFFER_BYTES = 8 * BlockCompressor.PACKET_BYTES;

  private final ByteBuffer plain = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private final MemorySegment plainMemory = MemorySegment.ofBuffer(plain);
  private final ByteBuffer packet = ByteBuffer.allocateDirect(2 * BlockCompressor.PACKET_BYTES);
  private final Map<Codec, BlockCompressor> compressors = new EnumMap<>(Codec.class);

  /**
   * Compresses a block.
   *
   * @param to gets the packets; false if no more packets of the block are wanted
   * @return false if not all packets were wanted
   * @throws IOException if the bytes cannot be read
   */
  boolean write(Pieces block, Codec codec, FrameShape shape, Predicate<byte[]> to)
      throws IOException {
    BlockCompressor compressor = compressors.computeIfAbsent(codec, BlockCompressor::new);
    compressor.begin(shape);
    plain.clear();
    boolean last;
    do {
      last = fill(block);
      int end = plain.position();
      int done = 0;
      while (last ? done < end : end - done >= BlockCompressor.PACKET_BYTES) {
        packet.clear();
        done += compressor.compress(plainMemory.asSlice(done, end - done), packet);
        byte[] bytes = new byte[packet.flip().remaining()];
        packet.get(bytes);
        if (!to.test(bytes)) {
          return false;
        }
      }
      plain.flip().position(done).compact();
    } while (!last);
    return true;
  }

  /** Fills the buffer; returns whether the block has no more bytes. */
  private boolean fill(Pieces block) throws IOException {
    while (plain.hasRemaining()) {
      ByteBuffer piece = block.piece();
      if (!piece.hasRemaining()) {
        return true;
      }
      int count = Math.min(piece.remaining(), plain.remaining());
      plain.put(piece.slice(piece.position(), count));
      piece.position(piece.position() + count);
    }
    return false;
  }

  @Override
  public void close() {
    compressors.values().forEach(BlockCompressor::close);
  }
}
