// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import io.symshuffle.shuffle.compress.BlockCompressor;
import io.symshuffle.shuffle.compress.BlockDecompressor;
import io.symshuffle.shuffle.compress.CorruptPacketException;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.PacketDescriptor;
import io.symshuffle.shuffle.output.MapOutput;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the bytes of a list of frames, piece by piece. Not thread-safe. */
final class FrameReader implements Pieces {
  private static final Logger LOG = LoggerFactory.getLogger(FrameReader.class);

  /** Maximum size of a piece of data; a multiple of 8, the alignment of data. */
  private static final long MAX_PIECE_BYTES = 1 << 20;

  /** Maximum size of a packet in a file. */
  private static final int MAX_PACKET_BYTES =
      PacketDescriptor.HEADER_BYTES + BlockCompressor.PACKET_BYTES;

  private final List<Frame> frames;
  private final Function<MapOutput, OutputReader> open;

  /** The map output of the last frame that was read, and its data; null before that. */
  private MapOutput output;

  private OutputReader data;
  private int frame = -1;
  private long done;

  /** Bytes of the current frame's packets that were read. */
  private long packedDone;

  /** Whether the current frame's data is damaged or lost; then none of it is read anymore. */
  private boolean damaged;

  /** The last map output whose data was found to be lost, or null. */
  private MapOutputId lost;

  /** Some packets that follow. */
  private ByteBuffer packets = ByteBuffer.allocate(0);

  private BlockDecompressor decompressor;
  private ByteBuffer piece = ByteBuffer.allocate(0);

  /**
   * @param open opens the data of a map output; at most one is open at a time
   */
  FrameReader(List<Frame> frames, Function<MapOutput, OutputReader> open) {
    this.frames = frames;
    this.open = open;
  }

  @Override
  public ByteBuffer piece() throws IOException {
    while (!piece.hasRemaining()) {
      if (frame < 0 || done == frames.get(frame).bytes()) {
        if (frame + 1 == frames.size()) {
          return piece;
        }
        frame++;
        done = 0;
        packedDone = 0;
        damaged = frames.get(frame).output().id().equals(lost);
        packets = ByteBuffer.allocate(0);
        piece = frames.get(frame).head().apply(frames.size() - 1 - frame);
      } else {
        Frame current = frames.get(frame);
        piece = dataOf(current);
        done += piece.remaining();
      }
    }
    return piece;
  }

  /** Reads bytes of a frame as they are stored; {@code from} of them were read before. */
  private ByteBuffer read(Frame current, long from) throws IOException {
    int count = (int) Math.min(MAX_PIECE_BYTES, current.storedBytes() - from);
    return dataOf(current.output()).read(current.tier(), current.place() + from, count);
  }

  /**
   * Reads the next bytes of a frame. If they are damaged or lost, the rest of the data is bytes
   * that are no records, so that readers find out which map output they cannot have. They would
   * blame this executor's map outputs for a transfer that fails.
   */
  private ByteBuffer dataOf(Frame current) throws IOException {
    if (!damaged) {
      try {
        return current.packed() ? unpack(current) : read(current, done);
      } catch (CorruptPacketException e) {
        damaged = true;
        LOG.warn("{} is damaged on disk: {}", current.output().id(), e.getMessage());
      } catch (LostDataException e) {
        damaged = true;
        lost = current.output().id();
        LOG.warn(
            "{} of PE {}, which is dead, cannot be read: {}",
            lost,
            current.output().pe(),
            e.getMessage());
      }
    }
    byte[] none = plain(current);
    Arrays.fill(none, (byte) -1);
    return ByteBuffer.wrap(none);
  }

  /** An array for the data of the next packet. */
  private byte[] plain(Frame current) {
    return new byte[(int) Math.min(BlockCompressor.PACKET_BYTES, current.bytes() - done)];
  }

  /** Decompresses the next packet of a frame. */
  private ByteBuffer unpack(Frame current) throws IOException {
    byte[] plain = plain(current);
    return ByteBuffer.wrap(plain, 0, unpack(current, MemorySegment.ofArray(plain)));
  }

  private int unpack(Frame current, MemorySegment plain) throws IOException {
    if (decompressor == null) {
      decompressor = new BlockDecompressor();
    }
    if (packedDone == current.storedBytes()) {
      throw new CorruptPacketException("%d bytes are missing".formatted(plain.byteSize()));
    }
    if (packets.remaining() < Math.min(MAX_PACKET_BYTES, current.storedBytes() - packedDone)) {
      packets = read(current, packedDone);
    }
    int before = packets.position();
    int bytes = decompressor.next(packets, plain);
    packedDone += packets.position() - before;
    return bytes;
  }

  private OutputReader dataOf(MapOutput next) {
    if (output == null || !next.id().equals(output.id())) {
      closeData();
      data = open.apply(next);
      output = next;
    }
    return data;
  }

  @Override
  public void close() {
    closeData();
    if (decompressor != null) {
      decompressor.close();
      decompressor = null;
    }
  }

  private void closeData() {
    if (data != null) {
      data.close();
      data = null;
      output = null;
    }
  }
}
