// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.compress;

import static io.symshuffle.shuffle.layout.PacketDescriptor.OPAQUE;
import static io.symshuffle.shuffle.layout.RecordDescriptor.COUNT_OFFSET;
import static io.symshuffle.shuffle.layout.RecordDescriptor.HEADER_BYTES;
import static io.symshuffle.shuffle.layout.RecordDescriptor.LENGTH_OFFSET;

import io.symshuffle.shuffle.layout.FrameDescriptor;
import io.symshuffle.shuffle.layout.PacketDescriptor;
import io.symshuffle.shuffle.layout.RecordDescriptor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.apache.spark.unsafe.Platform;

/**
 * Converts the records of a packet to the body of the packet and back; see {@link
 * PacketDescriptor}. Null bits and values of fixed length are transposed. If their number cannot be
 * told from the rows, as many words are transposed as the shortest record has.
 *
 * <p>Uses raw addresses, since bounds checks would cost as much as the copies. All sizes are
 * checked first, by {@link #measure}, {@link PacketHeader} and {@link #placeRecords}. Not
 * thread-safe.
 */
final class RecordPlanes {
  /** Records that are transposed together: 64 bytes of a plane, which is a cache line. */
  private static final int TILE = 64;

  /** Records in one transposition of 8 x 8 bytes. */
  private static final int BLOCK = 8;

  /** Up to this size, a loop over words is faster than a call of the general copy. */
  private static final int SHORT_COPY_BYTES = 160;

  private final ByteBuffer tileBuffer = Memory.allocateDirect(TILE * Long.BYTES);

  /** A word of each record of a tile. */
  private final long tile = MemorySegment.ofBuffer(tileBuffer).address();

  /** For each record, the offset of its first word from the start of the data. */
  private int[] starts = new int[1024];

  /** For each group of records, their length in bytes, and their number. */
  private int[] lengths = new int[64];

  private int[] counts = new int[64];

  /** For each head of a frame, its offset from the start of the data. */
  private int[] heads = new int[64];

  /** For each head of a frame, the number of groups before it. */
  private int[] groupsBefore = new int[64];

  private int records;
  private int groups;
  private int frames;

  /**
   * Finds the groups of records and the heads of frames at the start of the data.
   *
   * @param array the array with the data, null for native memory
   * @param data Unsafe offset or address of the data
   * @param bytes bytes to look at
   * @return the header of a packet with a body that is not compressed: opaque if the records cannot
   *     be transposed; empty if the first group is not complete
   */
  Optional<PacketHeader> measure(Object array, long data, int bytes) {
    records = 0;
    groups = 0;
    frames = 0;
    boolean transposable = true;
    int shortest = Integer.MAX_VALUE;
    int at = 0;
    int end = 0; // of the last group; a head that no group follows belongs to the next packet
    while (bytes - at >= HEADER_BYTES) {
      int length = Platform.getInt(array, data + at + LENGTH_OFFSET);
      if (length == FrameDescriptor.MAGIC && bytes - at >= FrameDescriptor.HEADER_BYTES) {
        // Not a record, which would be longer than any packet.
        addHead(at);
        at += FrameDescriptor.HEADER_BYTES;
        continue;
      }
      int count = Platform.getInt(array, data + at + COUNT_OFFSET);
      long size = RecordDescriptor.sizeOf(length, count);
      if (length < 0 || count <= 0 || size > bytes - at) {
        break;
      }
      transposable &=
          length > 0
              && (length & 7) == 0
              && length / Long.BYTES <= PacketDescriptor.MAX_COUNT
              && count <= PacketDescriptor.MAX_COUNT;
      if (transposable) {
        addGroup(at + HEADER_BYTES, length, count);
        shortest = Math.min(shortest, length);
      }
      at += (int) size;
      end = at;
    }
    if (end == 0) {
      return at == 0 ? Optional.empty() : Optional.of(PacketHeader.opaque(OPAQUE, at));
    }
    while (transposable && frames > 0 && groupsBefore[frames - 1] == groups) {
      frames--;
    }
    if (transposable) {
      int words = fixedWords(array, data, shortest / Long.BYTES);
      PacketHeader header =
          new PacketHeader(
              Codec.NONE, PacketDescriptor.RECORDS, words, end, 0, records, groups, frames);
      header = header.withBody(Codec.NONE, header.plainBytes());
      if (header.valid()) {
        return Optional.of(header);
      }
    }
    return Optional.of(PacketHeader.opaque(OPAQUE, end));
  }

  private void addHead(int at) {
    if (frames == heads.length) {
      heads = Arrays.copyOf(heads, 2 * frames);
      groupsBefore = Arrays.copyOf(groupsBefore, 2 * frames);
    }
    heads[frames] = at;
    groupsBefore[frames++] = groups;
  }

  /**
   * Adds a group.
   *
   * @param first offset of its first record from the start of the data
   */
  private void addGroup(int first, int length, int count) {
    if (groups == lengths.length) {
      lengths = Arrays.copyOf(lengths, 2 * groups);
      counts = Arrays.copyOf(counts, 2 * groups);
    }
    lengths[groups] = length;
    counts[groups++] = count;
    if (count > starts.length - records) {
      starts = Arrays.copyOf(starts, Math.max(records + count, 2 * starts.length));
    }
    for (int i = 0; i < count; i++) {
      starts[records++] = first + i * length;
    }
  }

  /**
   * Estimates how many words of the measured records are null bits and values of fixed length, if
   * they are rows. The value of a column of variable length is its offset in the row and its size;
   * for the first such column, the offset is the end of these words. The first and the last record
   * must agree.
   *
   * @param shortest words of the shortest record
   * @return number of words, at most {@code shortest}
   */
  private int fixedWords(Object array, long data, int shortest) {
    long firstRow = data + starts[0];
    long lastRow = data + starts[records - 1];
    int firstLength = lengths[0];
    int lastLength = lengths[groups - 1];
    for (int word = 1; word < shortest; word++) {
      long value = Platform.getLong(array, firstRow + (long) word * Long.BYTES);
      long other = Platform.getLong(array, lastRow + (long) word * Long.BYTES);
      long offset = value >>> Integer.SIZE;
      if (offset > (long) word * Long.BYTES
          && offset % Long.BYTES == 0
          && offset <= (long) shortest * Long.BYTES
          && offset == other >>> Integer.SIZE
          && offset + (value & 0xFFFFFFFFL) <= firstLength
          && offset + (other & 0xFFFFFFFFL) <= lastLength) {
        return (int) offset / Long.BYTES;
      }
    }
    return shortest;
  }

  /**
   * Writes the body of the measured records.
   *
   * @param header the header that {@link #measure} returned, not opaque
   * @param array the array with the data, null for native memory
   * @param data Unsafe offset or address of the data
   * @param body address of the body, {@link PacketHeader#plainBytes} bytes
   */
  void split(PacketHeader header, Object array, long data, long body) {
    int fixed = header.words() * Long.BYTES;
    long to = body;
    for (int frame = 0; frame < frames; frame++) {
      Platform.putInt(null, to, groupsBefore[frame]);
      copy(array, data + heads[frame], null, to + Integer.BYTES, FrameDescriptor.HEADER_BYTES);
      to += PacketDescriptor.FRAME_BYTES;
    }
    long planes = to + (long) PacketDescriptor.GROUP_BYTES * groups;
    long tail = planes + (long) fixed * records;
    int record = 0;
    for (int group = 0; group < groups; group++) {
      putShort(to, group, lengths[group] / Long.BYTES);
      putShort(to + Short.BYTES * (long) groups, group, counts[group]);
      int rest = lengths[group] - fixed;
      for (int i = 0; i < counts[group]; i++) {
        copy(array, data + starts[record++] + fixed, null, tail, rest);
        tail += rest;
      }
    }
    int whole = records & -BLOCK;
    for (int first = 0; first < whole; first += TILE) {
      int count = Math.min(TILE, whole - first);
      long stride = equalStride(first, count);
      for (int word = 0; word < header.words(); word++) {
        long from = data + (long) word * Long.BYTES;
        long plane = planes + (long) word * Long.BYTES * records + first;
        if (stride != 0) {
          transpose(
              array,
              from + starts[first],
              stride,
              BLOCK * stride,
              null,
              plane,
              records,
              BLOCK,
              count / BLOCK);
        } else {
          for (int i = 0; i < count; i++) {
            Platform.putLong(
                null,
                tile + (long) i * Long.BYTES,
                Platform.getLong(array, from + starts[first + i]));
          }
          transpose(
              null,
              tile,
              Long.BYTES,
              BLOCK * Long.BYTES,
              null,
              plane,
              records,
              BLOCK,
              count / BLOCK);
        }
      }
    }
    for (record = whole; record < records; record++) {
      for (int b = 0; b < fixed; b++) {
        byte value = Platform.getByte(array, data + starts[record] + b);
        Platform.putByte(null, planes + (long) b * records + record, value);
      }
    }
  }

  /** Writes the number of a group to the plane of low and the plane of high bytes. */
  private void putShort(long planes, int group, int value) {
    Platform.putByte(null, planes + group, (byte) value);
    Platform.putByte(null, planes + groups + group, (byte) (value >> 8));
  }

  private int getShort(long planes, int group) {
    int low = Platform.getByte(null, planes + group) & 0xFF;
    int high = Platform.getByte(null, planes + groups + group) & 0xFF;
    return (high << 8) | low;
  }

  /**
   * Restores the records of a packet.
   *
   * @param header its valid header, not opaque
   * @param body address of its body, {@link PacketHeader#plainBytes} bytes
   * @param array the array for the data, null for native memory
   * @param data Unsafe offset or address for the data, {@link PacketHeader#dataBytes} bytes
   * @throws CorruptPacketException if the body does not match the header
   */
  void join(PacketHeader header, long body, Object array, long data) throws CorruptPacketException {
    records = header.records();
    groups = header.groups();
    long planes = placeRecords(header, body, array, data);
    int fixed = header.words() * Long.BYTES;
    int whole = records & -BLOCK;
    for (int first = 0; first < whole; first += TILE) {
      int count = Math.min(TILE, whole - first);
      long stride = equalStride(first, count);
      for (int word = 0; word < header.words(); word++) {
        long to = data + (long) word * Long.BYTES;
        long plane = planes + (long) word * Long.BYTES * records + first;
        if (stride != 0) {
          transpose(
              null,
              plane,
              records,
              BLOCK,
              array,
              to + starts[first],
              stride,
              BLOCK * stride,
              count / BLOCK);
        } else {
          transpose(
              null,
              plane,
              records,
              BLOCK,
              null,
              tile,
              Long.BYTES,
              BLOCK * Long.BYTES,
              count / BLOCK);
          for (int i = 0; i < count; i++) {
            Platform.putLong(
                array,
                to + starts[first + i],
                Platform.getLong(null, tile + (long) i * Long.BYTES));
          }
        }
      }
    }
    for (int record = whole; record < records; record++) {
      for (int b = 0; b < fixed; b++) {
        byte value = Platform.getByte(null, planes + (long) b * records + record);
        Platform.putByte(array, data + starts[record] + b, value);
      }
    }
  }

  /**
   * Writes everything except the transposed words: the heads of the frames, the headers of the
   * groups, and the remaining words.
   *
   * @return address of the first plane
   */
  private long placeRecords(PacketHeader header, long body, Object array, long data)
      throws CorruptPacketException {
    if (records > starts.length) {
      starts = new int[records];
    }
    int dataBytes = header.dataBytes();
    int fixed = header.words() * Long.BYTES;
    long sizes = body + (long) header.frames() * PacketDescriptor.FRAME_BYTES;
    long planes = sizes + (long) PacketDescriptor.GROUP_BYTES * groups;
    long tail = planes + (long) fixed * records;
    long end = body + header.plainBytes();
    int frame = 0;
    int record = 0;
    int at = 0;
    for (int group = 0; group < groups; group++) {
      while (frame < header.frames()) {
        long head = body + (long) frame * PacketDescriptor.FRAME_BYTES;
        if (Platform.getInt(null, head) != group) {
          break;
        }
        if (FrameDescriptor.HEADER_BYTES > dataBytes - at) {
          throw new CorruptPacketException("a frame starts after the end of " + header);
        }
        copy(null, head + Integer.BYTES, array, data + at, FrameDescriptor.HEADER_BYTES);
        at += FrameDescriptor.HEADER_BYTES;
        frame++;
      }
      int length = getShort(sizes, group) * Long.BYTES;
      int count = getShort(sizes + Short.BYTES * (long) groups, group);
      int rest = length - fixed;
      if (length == 0
          || rest < 0
          || count == 0
          || count > records - record
          || HEADER_BYTES + (long) count * length > dataBytes - at
          || (long) count * rest > end - tail) {
        throw new CorruptPacketException(
            "a group of %d records of %d bytes at byte %d does not fit %s"
                .formatted(count, length, at, header));
      }
      Platform.putInt(array, data + at + LENGTH_OFFSET, length);
      Platform.putInt(array, data + at + COUNT_OFFSET, count);
      at += HEADER_BYTES;
      for (int i = 0; i < count; i++) {
        starts[record++] = at;
        copy(null, tail, array, data + at + fixed, rest);
        tail += rest;
        at += length;
      }
    }
    if (at != dataBytes || frame != header.frames() || record != records) {
      throw new CorruptPacketException(
          "the body has %d bytes, %d records and %d heads of frames, unlike %s"
              .formatted(at, record, frame, header));
    }
    return planes;
  }

  /**
   * Transposes the words of any bytes; copies the bytes after the last whole word.
   *
   * @param body address of {@code bytes} bytes
   */
  static void splitWords(Object array, long data, int bytes, long body) {
    int whole = (bytes / Long.BYTES) & -BLOCK;
    transpose(array, data, Long.BYTES, Long.BYTES * BLOCK, null, body, whole, BLOCK, whole / BLOCK);
    int done = whole * Long.BYTES;
    Platform.copyMemory(array, data + done, null, body + done, bytes - done);
  }

  /** Restores what {@link #splitWords} transposed. */
  static void joinWords(Object array, long data, int bytes, long body) {
    int whole = (bytes / Long.BYTES) & -BLOCK;
    transpose(null, body, whole, BLOCK, array, data, Long.BYTES, Long.BYTES * BLOCK, whole / BLOCK);
    int done = whole * Long.BYTES;
    Platform.copyMemory(null, body + done, array, data + done, bytes - done);
  }

  /** Distance between records, in bytes, if it is the same for all of a tile; otherwise 0. */
  private int equalStride(int first, int count) {
    int stride = starts[first + 1] - starts[first];
    for (int i = 2; i < count; i++) {
      if (starts[first + i] - starts[first + i - 1] != stride) {
        return 0;
      }
    }
    return stride;
  }

  /**
   * Transposes blocks of 8 x 8 bytes, held in 8 longs, with three rounds of swaps (Warren, Hacker's
   * Delight, section 7-3, with bytes instead of bits). The transposition is its own inverse.
   *
   * @param from array of the first input, null for native memory
   * @param in Unsafe offset or address of the first input
   * @param inStride bytes between the 8 inputs of a block
   * @param inStep bytes between the first inputs of two blocks
   * @param to array of the first output, null for native memory
   * @param out Unsafe offset or address of the first output
   * @param outStride bytes between the 8 outputs of a block
   * @param outStep bytes between the first outputs of two blocks
   */
  private static void transpose(
      Object from,
      long in,
      long inStride,
      long inStep,
      Object to,
      long out,
      long outStride,
      long outStep,
      int blocks) {
    for (int block = 0; block < blocks; block++) {
      long a = Platform.getLong(from, in);
      long b = Platform.getLong(from, in + inStride);
      long c = Platform.getLong(from, in + 2 * inStride);
      long d = Platform.getLong(from, in + 3 * inStride);
      long e = Platform.getLong(from, in + 4 * inStride);
      long f = Platform.getLong(from, in + 5 * inStride);
      long g = Platform.getLong(from, in + 6 * inStride);
      long h = Platform.getLong(from, in + 7 * inStride);
      // Swaps the halves of 4 bytes: the lower rows get the low half of the upper ones.
      long t = (a & 0xFFFFFFFFL) | (e << 32);
      e = (a >>> 32) | (e & 0xFFFFFFFF00000000L);
      a = t;
      t = (b & 0xFFFFFFFFL) | (f << 32);
      f = (b >>> 32) | (f & 0xFFFFFFFF00000000L);
      b = t;
      t = (c & 0xFFFFFFFFL) | (g << 32);
      g = (c >>> 32) | (g & 0xFFFFFFFF00000000L);
      c = t;
      t = (d & 0xFFFFFFFFL) | (h << 32);
      h = (d >>> 32) | (h & 0xFFFFFFFF00000000L);
      d = t;
      // Pairs of bytes.
      t = ((a >>> 16) ^ c) & 0x0000FFFF0000FFFFL;
      c ^= t;
      a ^= t << 16;
      t = ((b >>> 16) ^ d) & 0x0000FFFF0000FFFFL;
      d ^= t;
      b ^= t << 16;
      t = ((e >>> 16) ^ g) & 0x0000FFFF0000FFFFL;
      g ^= t;
      e ^= t << 16;
      t = ((f >>> 16) ^ h) & 0x0000FFFF0000FFFFL;
      h ^= t;
      f ^= t << 16;
      // Single bytes.
      t = ((a >>> 8) ^ b) & 0x00FF00FF00FF00FFL;
      Platform.putLong(to, out, a ^ (t << 8));
      Platform.putLong(to, out + outStride, b ^ t);
      t = ((c >>> 8) ^ d) & 0x00FF00FF00FF00FFL;
      Platform.putLong(to, out + 2 * outStride, c ^ (t << 8));
      Platform.putLong(to, out + 3 * outStride, d ^ t);
      t = ((e >>> 8) ^ f) & 0x00FF00FF00FF00FFL;
      Platform.putLong(to, out + 4 * outStride, e ^ (t << 8));
      Platform.putLong(to, out + 5 * outStride, f ^ t);
      t = ((g >>> 8) ^ h) & 0x00FF00FF00FF00FFL;
      Platform.putLong(to, out + 6 * outStride, g ^ (t << 8));
      Platform.putLong(to, out + 7 * outStride, h ^ t);
      in += inStep;
      out += outStep;
    }
  }

  /** Copies whole words. */
  private static void copy(Object from, long in, Object to, long out, int bytes) {
    if (bytes <= SHORT_COPY_BYTES) {
      for (int i = 0; i < bytes; i += Long.BYTES) {
        Platform.putLong(to, out + i, Platform.getLong(from, in + i));
      }
    } else {
      Platform.copyMemory(from, in, to, out, bytes);
    }
  }
}
