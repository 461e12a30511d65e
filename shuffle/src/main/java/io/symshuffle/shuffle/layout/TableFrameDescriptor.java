// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

import java.util.zip.CRC32C;

/**
 * A table as sent through Spark's block transfer. A block of several tables, or a range of
 * partitions, is a sequence of frames, each of which contains the number of frames that follow it.
 *
 * <pre>
 *   0   u32  magic
 *   4   u32  partition
 *   8   u64  bytes of data
 *   16  u64  rows
 *   24  u32  frames of the sequence that follow this one
 *   28  u32  CRC32C of the data, 0 if not computed (checksums off, or DEVICE above 16 GiB)
 *   32  u32  0
 *   36  u32  CRC32C of the header up to here, and the extension
 *   40       data
 * </pre>
 *
 * <p>If a GPU has packed the data ({@link io.symshuffle.kernel.PackedTables}), the frame has
 * another magic number, and an extension after the header:
 *
 * <pre>
 *   40  u64  bytes of packed data
 *   48  u32  CRC32C of the packed data, 0 if not computed
 *   52  u32  0
 *   56       packed data
 * </pre>
 */
public final class TableFrameDescriptor {
  /** "SYMU", read as a little-endian number. */
  public static final int MAGIC = 0x554D5953;

  /** "SYMV", read as a little-endian number: the data is packed. */
  public static final int PACKED_MAGIC = 0x564D5953;

  public static final int MAGIC_OFFSET = 0;
  public static final int PARTITION_OFFSET = 4;
  public static final int BYTES_OFFSET = 8;
  public static final int ROWS_OFFSET = 16;
  public static final int FOLLOWING_OFFSET = 24;
  public static final int CRC_OFFSET = 28;
  public static final int HEAD_CRC_OFFSET = 36;

  /** Bytes of the header. */
  public static final int HEADER_BYTES = 40;

  public static final int PACKED_BYTES_OFFSET = 0;
  public static final int PACKED_CRC_OFFSET = 8;

  /** Bytes of the extension of a frame with packed data. */
  public static final int EXTENSION_BYTES = 16;

  private TableFrameDescriptor() {}

  /**
   * Computes the checksum of a frame's head.
   *
   * @param header its {@link #HEADER_BYTES} bytes; the bytes of the checksum itself are not covered
   * @param extension its extension; empty unless the data is packed
   */
  public static int headCrc(byte[] header, byte[] extension) {
    CRC32C crc = new CRC32C();
    crc.update(header, 0, HEAD_CRC_OFFSET);
    crc.update(extension);
    return (int) crc.getValue();
  }
}
