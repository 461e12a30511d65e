// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.compress;

import io.symshuffle.shuffle.layout.FrameDescriptor;
import io.symshuffle.shuffle.layout.PacketDescriptor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A fuzz target: packets of another host. After the packets, the same bytes are compressed and
 * decompressed as records.
 */
public final class PacketFuzz {
  private static final int GUARD_BYTES = 64;
  private static final byte GUARD = 0x5A;

  private PacketFuzz() {}

  /** Called by the fuzzer: loads the libraries, which takes longer than reading an input. */
  public static void fuzzerInitialize() throws Exception {
    for (byte[] seed : seeds()) {
      fuzzerTestOneInput(seed);
    }
  }

  /**
   * Called by the fuzzer: any bytes must result in data inside the buffer or an exception for
   * damaged packets, and any data must be restored.
   */
  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    if (input.length == 0) {
      return;
    }
    try (BlockDecompressor decompressor = new BlockDecompressor()) {
      ByteBuffer packets = ByteBuffer.wrap(input);
      while (packets.remaining() >= PacketDescriptor.HEADER_BYTES) {
        decompress(decompressor, packets);
      }
      restore(decompressor, input);
    }
  }

  private static void decompress(BlockDecompressor decompressor, ByteBuffer packets) {
    try {
      PacketHeader header = PacketHeader.read(packets);
      packets.position(packets.position() + PacketDescriptor.HEADER_BYTES);
      if (header.bodyBytes() > packets.remaining()) {
        packets.position(packets.limit());
        return;
      }
      byte[] data = new byte[header.dataBytes() + GUARD_BYTES];
      Arrays.fill(data, header.dataBytes(), data.length, GUARD);
      decompressor.decompress(header, packets, MemorySegment.ofArray(data));
      for (int at = header.dataBytes(); at < data.length; at++) {
        if (data[at] != GUARD) {
          throw new AssertionError("bytes after the data were written: " + header);
        }
      }
    } catch (CorruptPacketException e) {
      if (e.getMessage().isBlank()) {
        throw new AssertionError("an exception without a message", e);
      }
      packets.position(packets.limit());
    }
  }

  private static void restore(BlockDecompressor decompressor, byte[] data)
      throws CorruptPacketException {
    try (BlockCompressor compressor = new BlockCompressor(Codec.LZ4, 1024)) {
      ByteBuffer packet = ByteBuffer.allocateDirect(compressor.maxPacketBytes());
      MemorySegment all = MemorySegment.ofArray(data);
      compressor.begin(FrameShape.RECORDS);
      for (int done = 0; done < data.length; ) {
        int count = compressor.compress(all.asSlice(done), packet.clear());
        PacketHeader header = PacketHeader.read(packet.flip());
        packet.position(PacketDescriptor.HEADER_BYTES);
        byte[] restored = new byte[count];
        decompressor.decompress(header, packet, MemorySegment.ofArray(restored));
        if (!Arrays.equals(restored, Arrays.copyOfRange(data, done, done + count))) {
          throw new AssertionError("other bytes were restored from " + header);
        }
        done += count;
      }
    }
  }

  /** A packet of each codec and layout, and frames of records. */
  public static List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (byte[] data : List.of(frames(24, 24), frames(24, 40), new byte[200])) {
      seeds.add(data);
      for (Codec codec : Codec.values()) {
        try (BlockCompressor compressor = new BlockCompressor(codec)) {
          ByteBuffer packet = ByteBuffer.allocateDirect(compressor.maxPacketBytes());
          compressor.begin(FrameShape.RECORDS);
          compressor.compress(MemorySegment.ofArray(data), packet);
          byte[] bytes = new byte[packet.position()];
          packet.flip().get(bytes);
          seeds.add(bytes);
        }
      }
    }
    return seeds;
  }

  /** Two frames with groups of rows of two lengths in turn. */
  private static byte[] frames(int firstLength, int secondLength) {
    ByteBuffer wire = ByteBuffer.allocate(2_000).order(ByteOrder.LITTLE_ENDIAN);
    for (int frame = 0; frame < 2; frame++) {
      wire.putInt(FrameDescriptor.MAGIC)
          .putInt(frame)
          .putLong(5L * (16 + 2 * firstLength + 2 * secondLength));
      wire.putInt(0).putInt(1 - frame);
      for (int group = 0; group < 10; group++) {
        int length = group % 2 == 0 ? firstLength : secondLength;
        wire.putInt(length).putInt(2).put(new byte[2 * length]);
      }
    }
    return Arrays.copyOf(wire.array(), wire.position());
  }
}
