// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import io.symshuffle.cuda.DeviceRange;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;

/**
 * The format of tables that {@link Kernels#pack} encodes, and a decoder for the CPU. The bytes of a
 * table are divided into blocks of 4096 bytes, which are encoded independently and without knowing
 * the columns: as integers of 1, 4, 8 or 2 times 8 bytes, each as a code of few bits above a base,
 * as a multiple of a factor, as a difference from its neighbor, or as the rank of its high bits and
 * its low bits; or as bytes of which few occur or which repeat others. All numbers are
 * little-endian; a word is 4 bytes.
 *
 * <pre>
 *  0          4          8               16               24         28         32
 *  +----------+----------+----------------+----------------+----------+----------+
 *  | magic    | version  | plain bytes    | packed bytes   | blocks   | 0        |
 *  +----------+----------+----------------+----------------+----------+----------+
 *  | directory: a u64 for each block                                             |
 *  |   bits 0-31 the word that its payload starts at, 32-34 layout,              |
 *  |   35-43 first stream, 44-52 second stream, 53-63 words of the payload       |
 *  +-----------------------------------------------------------------------------+
 *  | payloads, one after the other without gaps, then zeros to a multiple of 16  |
 *  +-----------------------------------------------------------------------------+
 *
 *  layout   0 raw: the bytes
 *           1 i8, 2 i32, 3 i64: one stream of these integers
 *           4 pairs: a stream of the i64 at even, one of those at odd places
 *           5 symbols: a bitmap of 256 bits of the bytes that occur, then their ranks in it; the
 *             field of the first stream is the number of bits of a rank, 0 to 8
 *           6 text: the bitmap, then sequences of 20 bits each, then the ranks of the literals;
 *             bits 0-10 of both streams' fields are the number of sequences, bits 11-14 that of
 *             the bits of a rank. A sequence: bits 0-3 literals, 4-7 length of the repetition
 *             after them (0: none, otherwise 3 less), 8-19 its distance (1 less)
 *           7 shifted: as pairs, or as i64 if the field of the second stream is 511, of a block of
 *             8 n bytes, n at least 4, without its first and last word, which are after the streams
 *  stream   bits 0-6 width of a code, 0 to 64; bits 7-8 kind; parameters, then the codes, the
 *           first in the lowest bits of the first word
 *           kind 0 frame    i64 base               value = base + code
 *                1 scaled   i64 base, u64 factor   value = base + code * factor
 *                2 delta    i64 first, i64 step    value = the one before + step + code; the first
 *                                                  value is `first`, and its code is 0
 *                3 ranked   i64 base, a bitmap of 256 bits of the high parts that occur
 *                                                  value = base + high * 2^low bits + low; a code
 *                           is the rank of the high part, in as many bits as the highest rank
 *                           needs, above the low part, which has the other bits
 * </pre>
 *
 * <p>Sums and products are modulo 2^64, and a value is cut to its size. In a damaged text literals
 * that do not exist and repetitions of what is before the block are zeros, as is what is missing at
 * the end; what is beyond the end is dropped. In C++: packed.h.
 */
public final class PackedTables {
  /** The first four bytes of a packed table. */
  public static final int MAGIC = 0x504d5953;

  /** The version of the format. */
  public static final int VERSION = 2;

  /** Bytes of a block. */
  public static final int BLOCK_BYTES = 4096;

  /** Bytes before the directory. */
  public static final int HEADER_BYTES = 32;

  /** Alignment of a packed table, and of its length. */
  public static final int ALIGNMENT = 16;

  /** The longest table: 8 GiB. */
  public static final long MAX_PLAIN_BYTES = 1L << 33;

  static final int ENTRY_BYTES = 8;

  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final int RAW = 0;
  private static final int PAIRS = 4;
  private static final int SYMBOLS = 5;
  private static final int TEXT = 6;
  private static final int SHIFTED = 7;
  private static final int NO_STREAM = 511;
  private static final int SHIFTED_SHORTEST = 32;
  private static final int INTEGER_LAYOUTS = 6;

  /** Bytes from one integer of a stream to the next, by layout. */
  private static final int[] STRIDES = {1, 1, 4, 8, 16, 1};

  /** Bytes of an integer, by layout. */
  private static final int[] SIZES = {1, 1, 4, 8, 8, 1};

  private static final int FRAME = 0;
  private static final int DELTA = 2;
  private static final int RANKED = 3;
  private static final int BITMAP_BYTES = 32;
  private static final int MAX_SYMBOL_WIDTH = 8;
  private static final int SEQUENCE_BITS = 20;
  private static final int REPETITION_BIAS = 3;

  private PackedTables() {}

  /**
   * Returns the length of the longest packed form of a table.
   *
   * @param plainBytes bytes of the table, 0 to {@link #MAX_PLAIN_BYTES}
   * @return a multiple of 16
   * @throws IllegalArgumentException when the table is longer
   */
  public static long maxBytes(long plainBytes) {
    if (plainBytes < 0 || plainBytes > MAX_PLAIN_BYTES) {
      throw new IllegalArgumentException(
          "a table of %d bytes cannot be packed: the longest has %d"
              .formatted(plainBytes, MAX_PLAIN_BYTES));
    }
    long bytes =
        HEADER_BYTES
            + blocks(plainBytes) * ENTRY_BYTES
            + (plainBytes + Integer.BYTES - 1) / Integer.BYTES * Integer.BYTES;
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  /**
   * Returns whether a table can have a packed form of this length: it has at least a header, and an
   * entry for each block.
   *
   * @param plainBytes bytes of the table
   */
  public static boolean canBe(long plainBytes, long packedBytes) {
    return plainBytes > 0
        && plainBytes <= MAX_PLAIN_BYTES
        && packedBytes >= HEADER_BYTES + blocks(plainBytes) * ENTRY_BYTES
        && packedBytes <= maxBytes(plainBytes)
        && packedBytes % ALIGNMENT == 0;
  }

  /**
   * Returns the memory that {@link Kernels#pack} needs for a list of tables: the longest packed
   * forms, then temporary memory of 8 bytes per block.
   *
   * @return bytes
   */
  public static long roomFor(List<DeviceRange> tables) {
    return tables.stream().mapToLong(DeviceRange::bytes).map(PackedTables::roomFor).sum();
  }

  /**
   * Returns a table's part of {@link #roomFor(List)}.
   *
   * @param plainBytes bytes of the table
   * @return bytes
   */
  public static long roomFor(long plainBytes) {
    return maxBytes(plainBytes) + units(plainBytes) * ENTRY_BYTES;
  }

  static long blocks(long plainBytes) {
    return (plainBytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
  }

  /** Returns the blocks of a table as the kernels count them: an empty table has one. */
  static long units(long plainBytes) {
    return Math.max(1, blocks(plainBytes));
  }

  /**
   * Decodes a table on the CPU, like {@link Kernels#unpack}. Nothing in the packed bytes is
   * trusted; damage that leaves the structure intact leads to other plain bytes.
   *
   * @param packed a packed table, of any alignment
   * @param plain where to write the table; its length is that of the table
   * @return false when {@code packed} is not a packed table of this length; {@code plain} is then
   *     undefined
   */
  public static boolean decode(MemorySegment packed, MemorySegment plain) {
    long plainBytes = plain.byteSize();
    long packedBytes = packed.byteSize();
    if (plainBytes > MAX_PLAIN_BYTES) {
      return false;
    }
    int blocks = (int) blocks(plainBytes);
    long end = HEADER_BYTES + (long) blocks * ENTRY_BYTES;
    if (packedBytes < end
        || packedBytes % ALIGNMENT != 0
        || packed.get(INT, 0) != MAGIC
        || packed.get(INT, 4) != VERSION
        || packed.get(LONG, 8) != plainBytes
        || packed.get(LONG, 16) != packedBytes
        || packed.get(INT, 24) != blocks
        || packed.get(INT, 28) != 0) {
      return false;
    }
    for (int block = 0; block < blocks; block++) {
      long entry = packed.get(LONG, HEADER_BYTES + (long) block * ENTRY_BYTES);
      long start = (entry & 0xffffffffL) * Integer.BYTES;
      Code code = Code.of((int) (entry >>> Integer.SIZE));
      long from = (long) block * BLOCK_BYTES;
      int bytes = (int) Math.min(BLOCK_BYTES, plainBytes - from);
      long length = (long) code.words() * Integer.BYTES;
      if (start != end || length > packedBytes - start || !code.isValid(bytes)) {
        return false;
      }
      decodeBlock(code, packed.asSlice(start, length), plain.asSlice(from, bytes));
      end = start + length;
    }
    return (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT == packedBytes;
  }

  private static void decodeBlock(Code code, MemorySegment payload, MemorySegment plain) {
    int bytes = (int) plain.byteSize();
    switch (code.layout()) {
      case RAW -> MemorySegment.copy(payload, 0, plain, 0, bytes);
      case SYMBOLS -> decodeSymbols(payload, code.first(), plain);
      case TEXT -> decodeText(payload, code, plain);
      case SHIFTED -> decodeShifted(payload, code, plain);
      default -> {
        int stride = STRIDES[code.layout()];
        int size = SIZES[code.layout()];
        int count = bytes / stride;
        decodeStream(code.first(), payload, plain, stride, size, count);
        if (code.layout() == PAIRS) {
          long second = (long) streamWords(code.first(), count) * Integer.BYTES;
          decodeStream(
              code.second(), payload.asSlice(second), plain.asSlice(size), stride, size, count);
        }
      }
    }
  }

  private static void decodeShifted(MemorySegment payload, Code code, MemorySegment plain) {
    long words = payload.byteSize() / Integer.BYTES;
    int longs = longs(plain.byteSize());
    MemorySegment inner = plain.asSlice(Integer.BYTES, (long) longs * Long.BYTES);
    int streams = code.second() == NO_STREAM ? 1 : 2;
    int count = (longs + streams - 1) / streams;
    decodeStream(code.first(), payload, inner, streams * Long.BYTES, Long.BYTES, count);
    if (streams == 2) {
      long second = (long) streamWords(code.first(), count) * Integer.BYTES;
      decodeStream(
          code.second(),
          payload.asSlice(second),
          inner.asSlice(Long.BYTES),
          2 * Long.BYTES,
          Long.BYTES,
          longs / 2);
    }
    plain.set(INT, 0, payload.get(INT, (words - 2) * Integer.BYTES));
    plain.set(INT, plain.byteSize() - Integer.BYTES, payload.get(INT, (words - 1) * Integer.BYTES));
  }

  /** Returns the integers of a shifted block of this many bytes. */
  private static int longs(long bytes) {
    return (int) (bytes / Long.BYTES) - 1;
  }

  private static void decodeStream(
      int stream, MemorySegment payload, MemorySegment plain, int stride, int size, int count) {
    int kind = stream >>> 7;
    int width = stream & 127;
    long base = payload.get(LONG, 0);
    long second = kind == FRAME ? 1 : payload.get(LONG, Long.BYTES);
    long codes = (long) parameterWords(kind) * Integer.BYTES;
    Ranks ranks = kind == RANKED ? Ranks.of(payload.asSlice(Long.BYTES), width) : Ranks.NONE;
    long before = base - second;
    for (int i = 0; i < count; i++) {
      long code = code(payload, codes, i, width);
      long value =
          switch (kind) {
            case DELTA -> before + second + code;
            case RANKED -> base + ranks.value(code);
            default -> base + code * second;
          };
      before = value;
      long at = (long) i * stride;
      switch (size) {
        case Byte.BYTES -> plain.set(ValueLayout.JAVA_BYTE, at, (byte) value);
        case Integer.BYTES -> plain.set(INT, at, (int) value);
        default -> plain.set(LONG, at, value);
      }
    }
  }

  /**
   * The high parts of a ranked stream.
   *
   * @param high by rank
   * @param rankBits bits of a rank, above the low part in a code
   * @param lowBits bits of the low part
   */
  private record Ranks(byte[] high, int rankBits, int lowBits) {
    static final Ranks NONE = new Ranks(new byte[0], 0, 0);

    static Ranks of(MemorySegment bitmap, int width) {
      int count = 0;
      for (int word = 0; word < BITMAP_BYTES; word += Integer.BYTES) {
        count += Integer.bitCount(bitmap.get(INT, word));
      }
      int needed = Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, count) - 1);
      int rankBits = Math.min(width, needed);
      return new Ranks(symbols(bitmap), rankBits, width - rankBits);
    }

    long value(long code) {
      long rank = rankBits == 0 ? 0 : code >>> lowBits;
      return (Byte.toUnsignedLong(high[(int) rank]) << lowBits) + code - (rank << lowBits);
    }
  }

  private static void decodeSymbols(MemorySegment payload, int width, MemorySegment plain) {
    byte[] symbols = symbols(payload);
    for (int i = 0; i < plain.byteSize(); i++) {
      plain.set(ValueLayout.JAVA_BYTE, i, symbols[(int) code(payload, BITMAP_BYTES, i, width)]);
    }
  }

  /** Returns the bytes of a bitmap in ascending order, then zeros. */
  private static byte[] symbols(MemorySegment payload) {
    byte[] symbols = new byte[1 << Byte.SIZE];
    int count = 0;
    for (int b = 0; b < symbols.length; b++) {
      if ((payload.get(ValueLayout.JAVA_BYTE, b / Byte.SIZE) >>> b % Byte.SIZE & 1) != 0) {
        symbols[count++] = (byte) b;
      }
    }
    return symbols;
  }

  private static void decodeText(MemorySegment payload, Code code, MemorySegment plain) {
    byte[] symbols = symbols(payload);
    byte[] text = new byte[(int) plain.byteSize()];
    int width = code.textWidth();
    int sequenceBytes = codeWords(code.sequences(), SEQUENCE_BITS) * Integer.BYTES;
    long literalBits = (payload.byteSize() - BITMAP_BYTES - sequenceBytes) * Byte.SIZE;
    int at = 0;
    int literal = 0;
    for (int s = 0; s < code.sequences() && at < text.length; s++) {
      int sequence = (int) code(payload, BITMAP_BYTES, s, SEQUENCE_BITS);
      for (int left = sequence & 15; left > 0 && at < text.length; left--, literal++) {
        if ((literal + 1L) * width <= literalBits) {
          text[at] = symbols[(int) code(payload, BITMAP_BYTES + sequenceBytes, literal, width)];
        }
        at++;
      }
      int length = sequence >>> 4 & 15;
      int distance = (sequence >>> 8) + 1;
      for (int left = length == 0 ? 0 : length + REPETITION_BIAS;
          left > 0 && at < text.length;
          left--) {
        text[at] = at < distance ? 0 : text[at - distance];
        at++;
      }
    }
    MemorySegment.copy(text, 0, plain, ValueLayout.JAVA_BYTE, 0, text.length);
  }

  /** Returns the {@code width} bits of a code, which may be in three words. */
  private static long code(MemorySegment payload, long codes, int index, int width) {
    int bit = index * width;
    long code = 0;
    for (int have = 0; have < width; ) {
      int word = payload.get(INT, codes + (bit + have) / Integer.SIZE * 4L);
      int skip = (bit + have) % Integer.SIZE;
      code |= Integer.toUnsignedLong(word >>> skip) << have;
      have += Integer.SIZE - skip;
    }
    return width == Long.SIZE ? code : code & (1L << width) - 1;
  }

  private static int parameterWords(int kind) {
    return switch (kind) {
      case FRAME -> 2;
      case RANKED -> 2 + BITMAP_BYTES / Integer.BYTES;
      default -> 4;
    };
  }

  private static int codeWords(int count, int width) {
    return (count * width + Integer.SIZE - 1) / Integer.SIZE;
  }

  private static int streamWords(int stream, int count) {
    return parameterWords(stream >>> 7) + codeWords(count, stream & 127);
  }

  /** How a block is encoded: the high half of its entry of the directory. */
  private record Code(int layout, int first, int second, int words) {
    static Code of(int bits) {
      return new Code(bits & 7, bits >>> 3 & 511, bits >>> 12 & 511, bits >>> 21);
    }

    /** Returns whether a block of this many bytes can be encoded like this. */
    boolean isValid(int bytes) {
      if (layout == TEXT) {
        return textWidth() <= MAX_SYMBOL_WIDTH
            && words >= BITMAP_BYTES / Integer.BYTES + codeWords(sequences(), SEQUENCE_BITS);
      }
      if (layout == SHIFTED) {
        return bytes % Long.BYTES == 0
            && bytes >= SHIFTED_SHORTEST
            && isStream(first)
            && (isStream(second) || second == NO_STREAM)
            && words == shiftedWords(longs(bytes));
      }
      if (layout >= INTEGER_LAYOUTS
          || bytes % STRIDES[layout] != 0
          || !isStream(first)
          || !isStream(second)
          || (layout != PAIRS && second != 0)) {
        return false;
      }
      int count = bytes / STRIDES[layout];
      return switch (layout) {
        case RAW -> first == 0 && words == (bytes + Integer.BYTES - 1) / Integer.BYTES;
        case PAIRS -> words == streamWords(first, count) + streamWords(second, count);
        case SYMBOLS ->
            first <= MAX_SYMBOL_WIDTH
                && words == BITMAP_BYTES / Integer.BYTES + codeWords(bytes, first);
        default -> words == streamWords(first, count);
      };
    }

    private int shiftedWords(int longs) {
      return second == NO_STREAM
          ? streamWords(first, longs) + 2
          : streamWords(first, (longs + 1) / 2) + streamWords(second, longs / 2) + 2;
    }

    /** Returns the number of sequences of a text. */
    int sequences() {
      return (second & 3) << 9 | first;
    }

    /** Returns the bits of a literal of a text. */
    int textWidth() {
      return second >>> 2;
    }

    private static boolean isStream(int stream) {
      return (stream & 127) <= Long.SIZE;
    }
  }
}
