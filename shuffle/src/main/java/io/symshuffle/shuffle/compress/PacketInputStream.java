// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.compress;

import io.symshuffle.shuffle.layout.PacketDescriptor;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * The frames of a fetched block. If the block was sent as packets, they are decompressed one at a
 * time. Used by one thread.
 */
public final class PacketInputStream extends InputStream {
  private final InputStream in;
  private final BlockDecompressor decompressor;

  /** How the block was sent. */
  private enum Form {
    UNKNOWN,
    FRAMES,
    PACKETS
  }

  private Form form = Form.UNKNOWN;

  /** Contains the bytes from {@link #position} to {@link #end} that are to be read next. */
  private byte[] data = {};

  private int position;
  private int end;

  /**
   * @param in the block as it was sent; closed with this stream
   * @param decompressor used by one stream at a time
   */
  public PacketInputStream(InputStream in, BlockDecompressor decompressor) {
    this.in = in;
    this.decompressor = decompressor;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] to, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, to.length);
    if (length == 0) {
      return 0;
    }
    while (position == end) {
      if (form == Form.FRAMES) {
        return in.read(to, offset, length);
      }
      if (!readPacket()) {
        return -1;
      }
    }
    int count = Math.min(length, end - position);
    System.arraycopy(data, position, to, offset, count);
    position += count;
    return count;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  /** Reads a packet, or the first bytes of frames; false at the end of the block. */
  private boolean readPacket() throws IOException {
    byte[] start = in.readNBytes(PacketDescriptor.HEADER_BYTES);
    if (start.length == 0) {
      return false;
    }
    ByteBuffer fields = ByteBuffer.wrap(start).order(ByteOrder.LITTLE_ENDIAN);
    if (form == Form.UNKNOWN) {
      boolean packets =
          start.length >= Integer.BYTES
              && fields.getInt(PacketDescriptor.MAGIC_OFFSET) == PacketDescriptor.MAGIC;
      form = packets ? Form.PACKETS : Form.FRAMES;
    }
    if (form == Form.FRAMES) {
      data = start;
      end = start.length;
      return true;
    }
    checkLength(start.length, PacketDescriptor.HEADER_BYTES);
    PacketHeader header = PacketHeader.read(fields);
    byte[] body = in.readNBytes(header.bodyBytes());
    checkLength(body.length, header.bodyBytes());
    if (data.length < header.dataBytes()) {
      data = new byte[Math.max(header.dataBytes(), 2 * data.length)];
    }
    position = 0;
    end = 0;
    decompressor.decompress(header, ByteBuffer.wrap(body), MemorySegment.ofArray(data));
    end = header.dataBytes();
    return true;
  }

  private static void checkLength(int got, int expected) throws EOFException {
    if (got < expected) {
      throw new EOFException("only %d of %d bytes of a packet".formatted(got, expected));
    }
  }
}
