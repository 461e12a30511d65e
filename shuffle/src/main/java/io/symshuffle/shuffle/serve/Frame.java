// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import io.symshuffle.shuffle.layout.FrameDescriptor;
import io.symshuffle.shuffle.layout.TableFrameDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.RunView;
import io.symshuffle.shuffle.output.TableEntry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntFunction;

/**
 * One frame to send: a head, followed by data of a map output.
 *
 * @param output the map output that has the data
 * @param head creates the head, given the number of frames that follow this one
 * @param headBytes size of the head, in bytes
 * @param place offset of the data in the owner's window (HOST, DEVICE) or in the map output's file;
 *     for staged data of the DEVICE tier, in the block's pinned memory
 * @param storedBytes size of the data at its place, in bytes
 * @param packed whether it is stored as packets, which are decompressed before they are sent
 * @param bytes size of the data, in bytes
 */
record Frame(
    MapOutput output,
    IntFunction<ByteBuffer> head,
    int headBytes,
    Tier tier,
    long place,
    long storedBytes,
    boolean packed,
    long bytes) {
  static Frame of(MapOutput output, RunView run, int block) {
    int partition = run.partition(block);
    int checksum = run.checksum(block);
    long bytes = run.size(block);
    return new Frame(
        output,
        following ->
            ByteBuffer.allocate(FrameDescriptor.HEADER_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(FrameDescriptor.MAGIC_OFFSET, FrameDescriptor.MAGIC)
                .putInt(FrameDescriptor.PARTITION_OFFSET, partition)
                .putLong(FrameDescriptor.BYTES_OFFSET, bytes)
                .putInt(FrameDescriptor.CRC_OFFSET, checksum + partition)
                .putInt(FrameDescriptor.FOLLOWING_OFFSET, following),
        FrameDescriptor.HEADER_BYTES,
        run.tier(),
        run.storedPlace(block),
        run.storedBytes(block),
        run.isPacked(),
        bytes);
  }

  /** Creates the frame of a table. */
  static Frame of(SentTable table) {
    TableEntry entry = table.entry();
    return entry.isPacked()
        ? packed(table, entry.tier(), entry.place(), entry.packedBytes(), entry.packedChecksum())
        : of(table, entry.tier(), entry.place(), entry.bytes(), new byte[0]);
  }

  /** As {@link #of(SentTable)}, with its data staged at {@code place}. */
  static Frame staged(SentTable table, long place) {
    return of(table, Tier.DEVICE, place, table.entry().bytes(), new byte[0]);
  }

  /**
   * Creates the frame of a table whose data a GPU has packed.
   *
   * @param place where the packed data is stored, or where it is staged
   * @param crc its checksum, 0 if not computed
   */
  static Frame packed(SentTable table, Tier tier, long place, long bytes, int crc) {
    byte[] extension = new byte[TableFrameDescriptor.EXTENSION_BYTES];
    ByteBuffer.wrap(extension)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(TableFrameDescriptor.PACKED_BYTES_OFFSET, bytes)
        .putInt(TableFrameDescriptor.PACKED_CRC_OFFSET, crc);
    return of(table, tier, place, bytes, extension);
  }

  private static Frame of(SentTable table, Tier tier, long place, long bytes, byte[] extension) {
    TableEntry entry = table.entry();
    return new Frame(
        table.output(),
        following -> head(entry, extension, following),
        TableFrameDescriptor.HEADER_BYTES + extension.length,
        tier,
        place,
        bytes,
        false,
        bytes);
  }

  private static ByteBuffer head(TableEntry table, byte[] extension, int following) {
    byte[] header = new byte[TableFrameDescriptor.HEADER_BYTES];
    ByteBuffer fields =
        ByteBuffer.wrap(header)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(
                TableFrameDescriptor.MAGIC_OFFSET,
                extension.length == 0
                    ? TableFrameDescriptor.MAGIC
                    : TableFrameDescriptor.PACKED_MAGIC)
            .putInt(TableFrameDescriptor.PARTITION_OFFSET, table.partition())
            .putLong(TableFrameDescriptor.BYTES_OFFSET, table.bytes())
            .putLong(TableFrameDescriptor.ROWS_OFFSET, table.rows())
            .putInt(TableFrameDescriptor.FOLLOWING_OFFSET, following)
            .putInt(TableFrameDescriptor.CRC_OFFSET, table.checksum());
    fields.putInt(
        TableFrameDescriptor.HEAD_CRC_OFFSET, TableFrameDescriptor.headCrc(header, extension));
    return ByteBuffer.allocate(header.length + extension.length).put(header).put(extension).flip();
  }

  long wireBytes() {
    return headBytes + bytes;
  }
}
