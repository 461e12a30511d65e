// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

/**
 * A packet of the bytes that are sent for a block, from one host to another: a header, then a body
 * that may be compressed. The bytes are a sequence of frames, heads and data; packets and frames
 * need not start together.
 *
 * <pre>
 *   0   u32  magic, includes the version
 *   4   u8   codec of the body: 0 none, 1 LZ4 block, 2 zstd frame
 *   5   u8   layout of the body, see below
 *   6   u16  transposed words per record, 0 if opaque
 *   8   u32  bytes of data, 1 to {@link #MAX_DATA_BYTES}
 *   12  u32  bytes after the header: the body, compressed unless the codec is 0
 *   16  u32  records, 0 if opaque
 *   20  u32  heads of frames, 0 if opaque
 *   24  u32  partition of the records before the first head of a frame, 0 if opaque
 *   28       the body
 * </pre>
 *
 * <p>The layout of a body, before compression, is one of:
 *
 * <ul>
 *   <li>{@link #OPAQUE}: the data.
 *   <li>{@link #EQUAL_LENGTHS}: for each head of a {@linkplain FrameDescriptor frame}, a u32 with
 *       the number of records before it in this packet, and its {@value
 *       FrameDescriptor#HEADER_BYTES} bytes. Then the first byte of the first word of all records,
 *       the second byte of the first word of all records, and so on for all transposed words. Then
 *       the remaining words of each record, record by record. All records have the same length,
 *       which is computed from the bytes of data and the number of records.
 *   <li>{@link #DIFFERENT_LENGTHS}: heads of frames as above, then the lengths of the records in
 *       words of 8 bytes: all low bytes, then all high bytes. The rest is as above.
 *   <li>{@link #OPAQUE_WORDS}: the first bytes of all 8-byte words of the data, the second bytes of
 *       all words, and so on, for a multiple of 8 words; then the remaining bytes. This suits
 *       columns of numbers of 4 or 8 bytes.
 * </ul>
 *
 * <p>The headers of the records are not in the body. They are restored from lengths and partitions;
 * records have the partition of the frame they are in.
 */
public final class PacketDescriptor {
  /** "SYC1", read as a little-endian number; another version of the layout has another magic. */
  public static final int MAGIC = 0x31435953;

  public static final int MAGIC_OFFSET = 0;
  public static final int CODEC_OFFSET = 4;
  public static final int LAYOUT_OFFSET = 5;
  public static final int WORDS_OFFSET = 6;

  /** Offset of the number of bytes of data. */
  public static final int DATA_BYTES_OFFSET = 8;

  /** Offset of the number of bytes after the header. */
  public static final int BODY_BYTES_OFFSET = 12;

  public static final int RECORDS_OFFSET = 16;
  public static final int FRAMES_OFFSET = 20;
  public static final int PARTITION_OFFSET = 24;

  /** Bytes of the header. */
  public static final int HEADER_BYTES = 28;

  /** Maximum size of the data of a packet: 1 MiB. */
  public static final int MAX_DATA_BYTES = 1 << 20;

  /** Maximum number of words of a record in a packet with different lengths. */
  public static final int MAX_WORDS = 0xFFFF;

  /** Bytes that a head of a frame takes in a body: a number of records and the head. */
  public static final int FRAME_BYTES = Integer.BYTES + FrameDescriptor.HEADER_BYTES;

  /** Layout: any bytes. */
  public static final int OPAQUE = 0;

  /** Layout: any bytes, transposed as words. */
  public static final int OPAQUE_WORDS = 3;

  /** Layout: records of one length. */
  public static final int EQUAL_LENGTHS = 1;

  /** Layout: records of different lengths. */
  public static final int DIFFERENT_LENGTHS = 2;

  private PacketDescriptor() {}
}
