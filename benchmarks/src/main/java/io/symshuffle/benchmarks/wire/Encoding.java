// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.wire;

import com.github.luben.zstd.Zstd;
import io.symshuffle.shuffle.compress.Codec;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * A way to encode the rows of a partition. The product's own code encodes {@code PLANES}; the
 * alternatives are simple implementations that show sizes, not speed.
 */
enum Encoding {
  /** Spark's sort shuffle: length and row, in blocks of 32 KiB, each with a header of LZ4's. */
  SORT_LZ4(32, 1),
  /** The same rows in blocks of 32 KiB of zstd. */
  SORT_ZSTD(32, 1),
  /** Frames as they are. */
  PLAIN_LZ4(128, 1),
  /** Words of the fixed-length part, column by column. */
  WORDS_LZ4(128, 1),
  /** Each word minus the one before, zigzag, then byte planes. */
  DELTA_PLANES_LZ4(128, 1),
  /** The product: byte planes, by size of the chunks. */
  PLANES_LZ4_16K(16, 1),
  /** 32 KiB. */
  PLANES_LZ4_32K(32, 1),
  /** 64 KiB. */
  PLANES_LZ4_64K(64, 1),
  /** 128 KiB, the default. */
  PLANES_LZ4(128, 1),
  /** 256 KiB. */
  PLANES_LZ4_256K(256, 1),
  /** The default of zstd. */
  PLANES_ZSTD_1(128, 1),
  /** Level 3. */
  PLANES_ZSTD_3(128, 3);

  private static final LZ4Compressor LZ4 = LZ4Factory.fastestInstance().fastCompressor();
  private static final int SPARK_HEADER_BYTES = 21;

  private final int chunkBytes;
  private final int zstdLevel;

  Encoding(int chunkKib, int zstdLevel) {
    this.chunkBytes = chunkKib << 10;
    this.zstdLevel = zstdLevel;
  }

  /** The encoded size of a partition, in bytes. */
  long bytes(List<byte[]> rows, byte[] block, int columns) {
    return switch (this) {
      case SORT_LZ4 -> sum(rows, serialized -> lz4(serialized) + SPARK_HEADER_BYTES);
      case SORT_ZSTD -> sum(rows, serialized -> Zstd.compress(serialized, zstdLevel).length);
      case PLAIN_LZ4 -> sumPlain(block);
      case WORDS_LZ4 -> sumColumns(rows, columns, false);
      case DELTA_PLANES_LZ4 -> sumColumns(rows, columns, true);
      default -> planes(block);
    };
  }

  private long planes(byte[] block) {
    Codec codec = name().contains("ZSTD") ? Codec.ZSTD : Codec.LZ4;
    if (block.length == 0) {
      return 0;
    }
    try (WireBlock wire = new WireBlock(block, codec, zstdLevel, chunkBytes)) {
      return wire.compressedBytes();
    }
  }

  private static int lz4(byte[] bytes) {
    return Math.min(bytes.length, LZ4.compress(bytes).length);
  }

  private long sumPlain(byte[] block) {
    long sum = 0;
    for (int at = 0; at < block.length; at += chunkBytes) {
      sum += lz4(Arrays.copyOfRange(block, at, Math.min(block.length, at + chunkBytes)));
    }
    return sum;
  }

  private long sum(List<byte[]> rows, ToIntFunction<byte[]> compressed) {
    long sum = 0;
    for (List<byte[]> chunk : chunks(rows, Integer.BYTES)) {
      int bytes = chunk.stream().mapToInt(row -> Integer.BYTES + row.length).sum();
      ByteBuffer serialized = ByteBuffer.allocate(bytes);
      chunk.forEach(row -> serialized.putInt(row.length).put(row));
      sum += compressed.applyAsInt(serialized.array());
    }
    return sum;
  }

  private long sumColumns(List<byte[]> rows, int columns, boolean delta) {
    int fixed = UnsafeRow.calculateBitSetWidthInBytes(columns) + columns * Long.BYTES;
    long sum = 0;
    for (List<byte[]> chunk : chunks(rows, Long.BYTES)) {
      int bytes = chunk.stream().mapToInt(row -> row.length).sum();
      boolean equal = chunk.stream().allMatch(row -> row.length == chunk.get(0).length);
      ByteBuffer body =
          ByteBuffer.allocate(bytes + (equal ? 0 : Short.BYTES * chunk.size()))
              .order(ByteOrder.LITTLE_ENDIAN);
      if (!equal) {
        chunk.forEach(row -> body.putShort((short) row.length));
      }
      for (int word = 0; word < fixed; word += Long.BYTES) {
        if (delta) {
          putDeltaPlanes(chunk, word, body);
        } else {
          for (byte[] row : chunk) {
            body.put(row, word, Long.BYTES);
          }
        }
      }
      chunk.forEach(row -> body.put(row, fixed, row.length - fixed));
      sum += lz4(body.array());
    }
    return sum;
  }

  private static void putDeltaPlanes(List<byte[]> rows, int word, ByteBuffer body) {
    long[] values = new long[rows.size()];
    long previous = 0;
    for (int i = 0; i < values.length; i++) {
      long value = ByteBuffer.wrap(rows.get(i)).order(ByteOrder.LITTLE_ENDIAN).getLong(word);
      long difference = value - previous;
      values[i] = (difference << 1) ^ (difference >> 63);
      previous = value;
    }
    for (int plane = 0; plane < Long.BYTES; plane++) {
      for (long value : values) {
        body.put((byte) (value >>> (plane * Byte.SIZE)));
      }
    }
  }

  /** Groups rows into chunks; each row has a header of some bytes. */
  private List<List<byte[]>> chunks(List<byte[]> rows, int headerBytes) {
    List<List<byte[]>> chunks = new ArrayList<>();
    int first = 0;
    int bytes = 0;
    for (int row = 0; row < rows.size(); row++) {
      int next = headerBytes + rows.get(row).length;
      if (row > first && bytes + next > chunkBytes) {
        chunks.add(rows.subList(first, row));
        first = row;
        bytes = 0;
      }
      bytes += next;
    }
    if (first < rows.size()) {
      chunks.add(rows.subList(first, rows.size()));
    }
    return chunks;
  }
}
