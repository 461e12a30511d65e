// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.jmh;

import io.symshuffle.shuffle.compress.BlockCompressor;
import io.symshuffle.shuffle.compress.BlockDecompressor;
import io.symshuffle.shuffle.compress.ChunkHeader;
import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.compress.CorruptChunkException;
import io.symshuffle.shuffle.compress.FrameShape;
import io.symshuffle.shuffle.layout.ChunkDescriptor;
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
  private final ByteBuffer chunk;
  private final byte[] chunks;
  private final int chunksBytes;

  /**
   * Compresses a block once, and checks that it can be restored.
   *
   * @param block frames of records
   */
  public WireBlock(byte[] block, Codec codec, int zstdLevel, int chunkBytes) {
    compressor = new BlockCompressor(codec, zstdLevel, chunkBytes);
    data = arena.allocate(block.length, 4096);
    data.copyFrom(MemorySegment.ofArray(block));
    restored = MemorySegment.ofArray(new byte[block.length]);
    chunk = ByteBuffer.allocateDirect(compressor.maxChunkBytes());
    chunks = new byte[2 * block.length + ChunkDescriptor.HEADER_BYTES];
    int used = 0;
    for (long done = begin(); done < data.byteSize(); ) {
      done += compressor.compress(data.asSlice(done), chunk.clear());
      int bytes = chunk.flip().remaining();
      chunk.get(chunks, used, bytes);
      used += bytes;
    }
    chunksBytes = used;
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
      done += compressor.compress(data.asSlice(done), chunk.clear());
      sum += chunk.position();
    }
    return sum;
  }

  /** Decompresses the block; returns its size, in bytes. */
  public long decompress() {
    ByteBuffer from = ByteBuffer.wrap(chunks, 0, chunksBytes);
    long done = 0;
    try {
      while (from.hasRemaining()) {
        ChunkHeader header = ChunkHeader.read(from);
        from.position(from.position() + ChunkDescriptor.HEADER_BYTES);
        decompressor.decompress(header, from, restored.asSlice(done));
        done += header.dataBytes();
      }
    } catch (CorruptChunkException e) {
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
