// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

import java.nio.ByteBuffer;

/**
 * A block of one run as sent through Spark's block transfer. A block with records in several runs,
 * or a range of partitions, is a sequence of frames. Each frame contains the number of frames that
 * follow it, so that a sequence that is truncated between two frames is detected.
 *
 * <pre>
 *   0   u32  magic
 *   4   u32  partition
 *   8   u64  bytes that follow the header, a multiple of 8
 *   16  u32  CRC32C of these bytes, 0 if checksums are off, plus the partition
 *   20  u32  frames of the sequence that follow this one
 *   24       records, as in the run
 * </pre>
 */
public final class FrameDescriptor {
  /** "SYMF", read as a little-endian number. */
  public static final int MAGIC = 0x464D5953;

  public static final int MAGIC_OFFSET = 0;
  public static final int PARTITION_OFFSET = 4;

  /** Offset of the number of bytes after the header. */
  public static final int BYTES_OFFSET = 8;

  /** Offset of the checksum, to which the partition is added, so that damage to it is found. */
  public static final int CRC_OFFSET = 16;

  public static final int FOLLOWING_OFFSET = 20;

  /** Bytes of the header. */
  public static final int HEADER_BYTES = 24;

  private FrameDescriptor() {}

  /** Returns the checksum of the bytes after a header, without the partition. */
  public static int crc(ByteBuffer header) {
    return header.getInt(CRC_OFFSET) - header.getInt(PARTITION_OFFSET);
  }
}
