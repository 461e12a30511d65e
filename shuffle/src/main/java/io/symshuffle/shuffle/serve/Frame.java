// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import io.symshuffle.shuffle.layout.FrameDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.RunView;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.output.TableFrameHead;
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

  /** Creates the frame of a table, as it is stored. */
  static Frame of(SentTable table) {
    return of(table.output(), table.entry());
  }

  /** As {@link #of(SentTable)}, with its data staged at {@code place}. */
  static Frame staged(SentTable table, long place) {
    return of(table.output(), table.entry().at(Tier.DEVICE, place));
  }

  /**
   * Creates the frame of a table whose data a GPU has packed to send it.
   *
   * @param place where the packed data is staged
   * @param crc its checksum, 0 if not computed
   */
  static Frame packed(SentTable table, long place, long bytes, int crc) {
    return of(table.output(), table.entry().packed(Tier.DEVICE, place, bytes, crc));
  }

  private static Frame of(MapOutput output, TableEntry table) {
    return new Frame(
        output,
        following -> new TableFrameHead(table, following).bytes(),
        new TableFrameHead(table, 0).size(),
        table.tier(),
        table.place(),
        table.storedBytes(),
        false,
        table.storedBytes());
  }

  long wireBytes() {
    return headBytes + bytes;
  }
}
