// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.compress;

import io.symshuffle.shuffle.layout.ChunkDescriptor;
import io.symshuffle.shuffle.layout.FrameDescriptor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A fuzz target: chunks of another host. After the chunks, the same bytes are compressed and
 * decompressed as records.
 */
public final class ChunkFuzz {
  private static final int GUARD_BYTES = 64;
  private static final byte GUARD = 0x5A;

  private ChunkFuzz() {}

  /** Called by the fuzzer: loads the libraries, which takes longer than reading an input. */
  public static void fuzzerInitialize() throws Exception {
    for (byte[] seed : seeds()) {
      fuzzerTestOneInput(seed);
    }
  }

  /**
   * Called by the fuzzer: any bytes must result in data inside the buffer or an exception for
   * damaged chunks, and any data must be restored.
   */
  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    if (input.length == 0) {
      return;
    }
    try (BlockDecompressor decompressor = new BlockDecompressor()) {
      ByteBuffer chunks = ByteBuffer.wrap(input);
      while (chunks.remaining() >= ChunkDescriptor.HEADER_BYTES) {
        decompress(decompressor, chunks);
      }
      restore(decompressor, input);
    }
  }

  private static void decompress(BlockDecompressor decompressor, ByteBuffer chunks) {
    try {
      ChunkHeader header = ChunkHeader.read(chunks);
      chunks.position(chunks.position() + ChunkDescriptor.HEADER_BYTES);
      if (header.bodyBytes() > chunks.remaining()) {
        chunks.position(chunks.limit());
        return;
      }
      byte[] data = new byte[header.dataBytes() + GUARD_BYTES];
      Arrays.fill(data, header.dataBytes(), data.length, GUARD);
      decompressor.decompress(header, chunks, MemorySegment.ofArray(data));
      for (int at = header.dataBytes(); at < data.length; at++) {
        if (data[at] != GUARD) {
          throw new AssertionError("bytes after the data were written: " + header);
        }
      }
    } catch (CorruptChunkException e) {
      if (e.getMessage().isBlank()) {
        throw new AssertionError("an exception without a message", e);
      }
      chunks.position(chunks.limit());
    }
  }

  private static void restore(BlockDecompressor decompressor, byte[] data)
      throws CorruptChunkException {
    try (BlockCompressor compressor = new BlockCompressor(Codec.LZ4, 0, 1024)) {
      ByteBuffer chunk = ByteBuffer.allocateDirect(compressor.maxChunkBytes());
      MemorySegment all = MemorySegment.ofArray(data);
      compressor.begin(FrameShape.RECORDS);
      for (int done = 0; done < data.length; ) {
        int count = compressor.compress(all.asSlice(done), chunk.clear());
        ChunkHeader header = ChunkHeader.read(chunk.flip());
        chunk.position(ChunkDescriptor.HEADER_BYTES);
        byte[] restored = new byte[count];
        decompressor.decompress(header, chunk, MemorySegment.ofArray(restored));
        if (!Arrays.equals(restored, Arrays.copyOfRange(data, done, done + count))) {
          throw new AssertionError("other bytes were restored from " + header);
        }
        done += count;
      }
    }
  }

  /** A chunk of each codec and layout, and frames of records. */
  public static List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (byte[] data : List.of(frames(24, 24), frames(24, 40), new byte[200])) {
      seeds.add(data);
      for (Codec codec : Codec.values()) {
        try (BlockCompressor compressor = new BlockCompressor(codec, 1)) {
          ByteBuffer chunk = ByteBuffer.allocateDirect(compressor.maxChunkBytes());
          compressor.begin(FrameShape.RECORDS);
          compressor.compress(MemorySegment.ofArray(data), chunk);
          byte[] bytes = new byte[chunk.position()];
          chunk.flip().get(bytes);
          seeds.add(bytes);
        }
      }
    }
    return seeds;
  }

  /** Two frames with rows of two lengths in turn. */
  private static byte[] frames(int firstLength, int secondLength) {
    ByteBuffer wire = ByteBuffer.allocate(2_000).order(ByteOrder.LITTLE_ENDIAN);
    for (int frame = 0; frame < 2; frame++) {
      wire.putInt(FrameDescriptor.MAGIC)
          .putInt(frame)
          .putLong(5 * (16L + firstLength + secondLength));
      wire.putInt(0).putInt(1 - frame);
      for (int row = 0; row < 10; row++) {
        int length = row % 2 == 0 ? firstLength : secondLength;
        wire.putInt(length).putInt(frame).put(new byte[length]);
      }
    }
    return Arrays.copyOf(wire.array(), wire.position());
  }
}
