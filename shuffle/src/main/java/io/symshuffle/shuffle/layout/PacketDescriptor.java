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
 *   20  u32  groups of records, 0 if opaque
 *   24  u32  heads of frames, 0 if opaque
 *   28       the body
 * </pre>
 *
 * <p>The layout of a body, before compression, is one of:
 *
 * <ul>
 *   <li>{@link #OPAQUE}: the data.
 *   <li>{@link #RECORDS}: for each head of a {@linkplain FrameDescriptor frame}, a u32 with the
 *       number of groups before it in this packet, and its {@value FrameDescriptor#HEADER_BYTES}
 *       bytes. Then the {@linkplain RecordDescriptor groups}: all low bytes of the lengths of their
 *       records in words of 8 bytes, all high bytes of these, all low bytes of the numbers of their
 *       records, and all high bytes of these. Then the first byte of the first word of all records,
 *       the second byte of the first word of all records, and so on for all transposed words. Then
 *       the remaining words of each record, record by record.
 *   <li>{@link #OPAQUE_WORDS}: the first bytes of all 8-byte words of the data, the second bytes of
 *       all words, and so on, for a multiple of 8 words; then the remaining bytes. This suits
 *       columns of numbers of 4 or 8 bytes.
 * </ul>
 *
 * <p>A packet contains whole groups, except for those that are longer than a packet, which are cut
 * into opaque packets.
 */
public final class PacketDescriptor {
  /** "SYC2", read as a little-endian number; another version of the layout has another magic. */
  public static final int MAGIC = 0x32435953;

  public static final int MAGIC_OFFSET = 0;
  public static final int CODEC_OFFSET = 4;
  public static final int LAYOUT_OFFSET = 5;
  public static final int WORDS_OFFSET = 6;

  /** Offset of the number of bytes of data. */
  public static final int DATA_BYTES_OFFSET = 8;

  /** Offset of the number of bytes after the header. */
  public static final int BODY_BYTES_OFFSET = 12;

  public static final int RECORDS_OFFSET = 16;
  public static final int GROUPS_OFFSET = 20;
  public static final int FRAMES_OFFSET = 24;

  /** Bytes of the header. */
  public static final int HEADER_BYTES = 28;

  /** Maximum size of the data of a packet: 1 MiB. */
  public static final int MAX_DATA_BYTES = 1 << 20;

  /** Maximum number of words of a record, and of records of a group, that are not opaque. */
  public static final int MAX_COUNT = 0xFFFF;

  /** Bytes that a head of a frame takes in a body: a number of groups and the head. */
  public static final int FRAME_BYTES = Integer.BYTES + FrameDescriptor.HEADER_BYTES;

  /** Bytes that a group takes in a body, without its records: their length and their number. */
  public static final int GROUP_BYTES = 2 * Short.BYTES;

  /** Layout: any bytes. */
  public static final int OPAQUE = 0;

  /** Layout: any bytes, transposed as words. */
  public static final int OPAQUE_WORDS = 2;

  /** Layout: groups of records. */
  public static final int RECORDS = 1;

  private PacketDescriptor() {}
}
