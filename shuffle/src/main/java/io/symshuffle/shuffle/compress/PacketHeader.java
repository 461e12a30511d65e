// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.compress;

import static io.symshuffle.shuffle.layout.PacketDescriptor.BODY_BYTES_OFFSET;
import static io.symshuffle.shuffle.layout.PacketDescriptor.CODEC_OFFSET;
import static io.symshuffle.shuffle.layout.PacketDescriptor.DATA_BYTES_OFFSET;
import static io.symshuffle.shuffle.layout.PacketDescriptor.FRAMES_OFFSET;
import static io.symshuffle.shuffle.layout.PacketDescriptor.FRAME_BYTES;
import static io.symshuffle.shuffle.layout.PacketDescriptor.GROUPS_OFFSET;
import static io.symshuffle.shuffle.layout.PacketDescriptor.GROUP_BYTES;
import static io.symshuffle.shuffle.layout.PacketDescriptor.LAYOUT_OFFSET;
import static io.symshuffle.shuffle.layout.PacketDescriptor.MAGIC;
import static io.symshuffle.shuffle.layout.PacketDescriptor.MAGIC_OFFSET;
import static io.symshuffle.shuffle.layout.PacketDescriptor.MAX_DATA_BYTES;
import static io.symshuffle.shuffle.layout.PacketDescriptor.OPAQUE;
import static io.symshuffle.shuffle.layout.PacketDescriptor.OPAQUE_WORDS;
import static io.symshuffle.shuffle.layout.PacketDescriptor.RECORDS;
import static io.symshuffle.shuffle.layout.PacketDescriptor.RECORDS_OFFSET;
import static io.symshuffle.shuffle.layout.PacketDescriptor.WORDS_OFFSET;

import io.symshuffle.shuffle.layout.FrameDescriptor;
import io.symshuffle.shuffle.layout.RecordDescriptor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The checked header of a packet; see {@link io.symshuffle.shuffle.layout.PacketDescriptor}.
 *
 * @param codec codec of the body
 * @param layout layout of the body
 * @param words transposed words per record
 * @param dataBytes size of the data, in bytes
 * @param bodyBytes size of the body that follows the header, in bytes
 * @param groups number of groups of records
 * @param frames number of heads of frames
 */
public record PacketHeader(
    Codec codec,
    int layout,
    int words,
    int dataBytes,
    int bodyBytes,
    int records,
    int groups,
    int frames) {
  /**
   * Reads a header.
   *
   * @param packet at least {@link io.symshuffle.shuffle.layout.PacketDescriptor#HEADER_BYTES} bytes
   *     at its position, which does not change
   * @throws CorruptPacketException if a field is invalid
   */
  public static PacketHeader read(ByteBuffer packet) throws CorruptPacketException {
    ByteBuffer fields = packet.slice().order(ByteOrder.LITTLE_ENDIAN);
    int magic = fields.getInt(MAGIC_OFFSET);
    if (magic != MAGIC) {
      throw new CorruptPacketException(
          "a packet has magic %08x instead of %08x".formatted(magic, MAGIC));
    }
    int code = fields.get(CODEC_OFFSET) & 0xFF;
    Codec codec =
        Codec.ofCode(code)
            .orElseThrow(
                () ->
                    new CorruptPacketException(
                        "a packet has the unknown codec %d".formatted(code)));
    PacketHeader header =
        new PacketHeader(
            codec,
            fields.get(LAYOUT_OFFSET) & 0xFF,
            fields.getShort(WORDS_OFFSET) & 0xFFFF,
            fields.getInt(DATA_BYTES_OFFSET),
            fields.getInt(BODY_BYTES_OFFSET),
            fields.getInt(RECORDS_OFFSET),
            fields.getInt(GROUPS_OFFSET),
            fields.getInt(FRAMES_OFFSET));
    if (!header.valid()) {
      throw new CorruptPacketException("invalid fields in " + header);
    }
    return header;
  }

  /** A header of data without records, with a body that is not compressed. */
  static PacketHeader opaque(int layout, int dataBytes) {
    return new PacketHeader(Codec.NONE, layout, 0, dataBytes, dataBytes, 0, 0, 0);
  }

  /** Whether the records of the data, if any, are not known. */
  boolean isOpaque() {
    return layout == OPAQUE || layout == OPAQUE_WORDS;
  }

  /** This header with another codec and size of the body. */
  PacketHeader withBody(Codec newCodec, int newBytes) {
    return new PacketHeader(newCodec, layout, words, dataBytes, newBytes, records, groups, frames);
  }

  /** Writes this header at the position of {@code packet}, which does not change. */
  void write(ByteBuffer packet) {
    packet
        .slice()
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(MAGIC_OFFSET, MAGIC)
        .put(CODEC_OFFSET, (byte) codec.code())
        .put(LAYOUT_OFFSET, (byte) layout)
        .putShort(WORDS_OFFSET, (short) words)
        .putInt(DATA_BYTES_OFFSET, dataBytes)
        .putInt(BODY_BYTES_OFFSET, bodyBytes)
        .putInt(RECORDS_OFFSET, records)
        .putInt(GROUPS_OFFSET, groups)
        .putInt(FRAMES_OFFSET, frames);
  }

  /** Size of the body before compression, in bytes; at most {@link #dataBytes}. */
  int plainBytes() {
    return dataBytes
        + groups * (GROUP_BYTES - RecordDescriptor.HEADER_BYTES)
        + frames * (FRAME_BYTES - FrameDescriptor.HEADER_BYTES);
  }

  /** Whether all fields are possible together. */
  boolean valid() {
    if (dataBytes <= 0 || dataBytes > MAX_DATA_BYTES) {
      return false;
    }
    boolean shape =
        switch (layout) {
          case OPAQUE, OPAQUE_WORDS -> words == 0 && records == 0 && groups == 0 && frames == 0;
          case RECORDS -> hasRecords();
          default -> false;
        };
    return shape
        && bodyBytes >= 0
        && (codec == Codec.NONE ? bodyBytes == plainBytes() : bodyBytes < plainBytes());
  }

  /**
   * Whether each frame and group can have a record, and the transposed words of all records fit
   * into the data. The body is then no longer than the data.
   */
  private boolean hasRecords() {
    return dataBytes % Long.BYTES == 0
        && frames >= 0
        && groups > 0
        && groups >= frames
        && records >= groups
        && (long) records * Math.max(1, words) * Long.BYTES
                + (long) groups * RecordDescriptor.HEADER_BYTES
                + (long) frames * FrameDescriptor.HEADER_BYTES
            <= dataBytes;
  }
}
