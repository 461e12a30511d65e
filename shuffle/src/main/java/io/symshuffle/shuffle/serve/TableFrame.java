// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import io.symshuffle.shuffle.layout.TableFrameDescriptor;
import io.symshuffle.shuffle.output.TableEntry;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * One table to send.
 *
 * @param table what the index says of it
 */
record TableFrame(TableEntry table) {
  /** Size on the wire. */
  long wireBytes() {
    return TableFrameDescriptor.HEADER_BYTES + table.metadata().byteSize() + table.bytes();
  }

  /**
   * Header and metadata.
   *
   * @param following frames of the block that follow this one
   */
  ByteBuffer head(int following) {
    MemorySegment metadata = table.metadata();
    int length = Math.toIntExact(metadata.byteSize());
    byte[] header = new byte[TableFrameDescriptor.HEADER_BYTES];
    ByteBuffer fields =
        ByteBuffer.wrap(header)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(TableFrameDescriptor.MAGIC_OFFSET, TableFrameDescriptor.MAGIC)
            .putInt(TableFrameDescriptor.PARTITION_OFFSET, table.partition())
            .putLong(TableFrameDescriptor.BYTES_OFFSET, table.bytes())
            .putLong(TableFrameDescriptor.ROWS_OFFSET, table.rows())
            .putInt(TableFrameDescriptor.METADATA_BYTES_OFFSET, length)
            .putInt(TableFrameDescriptor.FOLLOWING_OFFSET, following)
            .putInt(TableFrameDescriptor.CRC_OFFSET, table.checksum());
    fields.putInt(
        TableFrameDescriptor.HEAD_CRC_OFFSET,
        TableFrameDescriptor.headCrc(header, metadata.asByteBuffer()));
    return ByteBuffer.allocate(header.length + length)
        .put(header)
        .put(metadata.asByteBuffer())
        .flip();
  }
}
