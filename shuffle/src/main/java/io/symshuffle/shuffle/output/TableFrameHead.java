// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.layout.TableFrameDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What comes before the data of a table that is sent ({@link TableFrameDescriptor}).
 *
 * @param table the table; its place means nothing to the receiver
 * @param following frames of the sequence that follow this one
 */
public record TableFrameHead(TableEntry table, int following) {
  /**
   * Reads the rest of a head.
   *
   * @param header its first {@link TableFrameDescriptor#HEADER_BYTES} bytes
   * @param in what comes after them
   * @return the head of a table in the HOST tier, at 0
   * @throws IllegalArgumentException if it is damaged
   * @throws EOFException if it is not whole
   */
  public static TableFrameHead read(byte[] header, InputStream in) throws IOException {
    ByteBuffer fields = fields(header);
    int magic = fields.getInt(TableFrameDescriptor.MAGIC_OFFSET);
    if (magic != TableFrameDescriptor.MAGIC && magic != TableFrameDescriptor.PACKED_MAGIC) {
      throw new IllegalArgumentException("frame of a table with magic %08x".formatted(magic));
    }
    boolean packed = magic == TableFrameDescriptor.PACKED_MAGIC;
    byte[] extension = new byte[packed ? TableFrameDescriptor.EXTENSION_BYTES : 0];
    if (in.readNBytes(extension, 0, extension.length) < extension.length) {
      throw new EOFException("frame ends in its head");
    }
    // Checked before other fields are used: a wrong size could exhaust memory.
    int crc = TableFrameDescriptor.headCrc(header, extension);
    int expected = fields.getInt(TableFrameDescriptor.HEAD_CRC_OFFSET);
    if (crc != expected) {
      throw new IllegalArgumentException(
          "the head of a frame has checksum %08x instead of %08x".formatted(crc, expected));
    }
    ByteBuffer more = fields(extension);
    TableEntry table =
        new TableEntry(
            fields.getInt(TableFrameDescriptor.PARTITION_OFFSET),
            Tier.HOST,
            0,
            fields.getLong(TableFrameDescriptor.BYTES_OFFSET),
            packed ? more.getLong(TableFrameDescriptor.PACKED_BYTES_OFFSET) : 0,
            fields.getLong(TableFrameDescriptor.ROWS_OFFSET),
            fields.getInt(TableFrameDescriptor.CRC_OFFSET),
            packed ? more.getInt(TableFrameDescriptor.PACKED_CRC_OFFSET) : 0);
    if (packed && !table.isPacked()) {
      throw new IllegalArgumentException("a table is packed into no bytes");
    }
    return new TableFrameHead(table, fields.getInt(TableFrameDescriptor.FOLLOWING_OFFSET));
  }

  /** Its size, in bytes. */
  public int size() {
    return TableFrameDescriptor.HEADER_BYTES
        + (table.isPacked() ? TableFrameDescriptor.EXTENSION_BYTES : 0);
  }

  /** Its bytes, as they are sent. */
  public ByteBuffer bytes() {
    byte[] extension = new byte[size() - TableFrameDescriptor.HEADER_BYTES];
    if (table.isPacked()) {
      fields(extension)
          .putLong(TableFrameDescriptor.PACKED_BYTES_OFFSET, table.packedBytes())
          .putInt(TableFrameDescriptor.PACKED_CRC_OFFSET, table.packedChecksum());
    }
    byte[] header = new byte[TableFrameDescriptor.HEADER_BYTES];
    ByteBuffer fields = fields(header);
    fields
        .putInt(
            TableFrameDescriptor.MAGIC_OFFSET,
            table.isPacked() ? TableFrameDescriptor.PACKED_MAGIC : TableFrameDescriptor.MAGIC)
        .putInt(TableFrameDescriptor.PARTITION_OFFSET, table.partition())
        .putLong(TableFrameDescriptor.BYTES_OFFSET, table.bytes())
        .putLong(TableFrameDescriptor.ROWS_OFFSET, table.rows())
        .putInt(TableFrameDescriptor.FOLLOWING_OFFSET, following)
        .putInt(TableFrameDescriptor.CRC_OFFSET, table.checksum());
    fields.putInt(
        TableFrameDescriptor.HEAD_CRC_OFFSET, TableFrameDescriptor.headCrc(header, extension));
    return ByteBuffer.allocate(size()).put(header).put(extension).flip();
  }

  private static ByteBuffer fields(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
