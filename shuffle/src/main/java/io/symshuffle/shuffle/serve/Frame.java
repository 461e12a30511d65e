// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import io.symshuffle.shuffle.layout.FrameDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * One frame to send.
 *
 * @param partition of its records
 * @param bytes of its records
 * @param checksum of these bytes
 * @param tier where they lie
 * @param memory the records, if they lie in the HOST tier
 * @param position where they start in the map output's file (DISK) or in the owner's window of the
 *     device heap (DEVICE)
 */
record Frame(
    int partition,
    long bytes,
    int checksum,
    Tier tier,
    Optional<MemorySegment> memory,
    long position) {

  /** Size on the wire. */
  long wireBytes() {
    return FrameDescriptor.HEADER_BYTES + bytes;
  }

  /**
   * The header.
   *
   * @param following frames of the block that follow this one
   */
  ByteBuffer header(int following) {
    return ByteBuffer.allocate(FrameDescriptor.HEADER_BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(FrameDescriptor.MAGIC_OFFSET, FrameDescriptor.MAGIC)
        .putInt(FrameDescriptor.PARTITION_OFFSET, partition)
        .putLong(FrameDescriptor.BYTES_OFFSET, bytes)
        .putInt(FrameDescriptor.CRC_OFFSET, checksum)
        .putInt(FrameDescriptor.FOLLOWING_OFFSET, following);
  }
}
