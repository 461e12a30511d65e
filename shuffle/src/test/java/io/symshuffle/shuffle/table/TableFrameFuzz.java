// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static io.symshuffle.shuffle.read.Reading.failures;
import static io.symshuffle.shuffle.read.Reading.source;

import io.symshuffle.kernel.PackedTables;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.TableFrameDescriptor;
import io.symshuffle.shuffle.read.FetchedFrames;
import io.symshuffle.shuffle.read.Reading;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.storage.BlockId;
import scala.Tuple2;

/**
 * A fuzz target: frames of tables of another host. The first byte selects whether the reader has
 * kernels, and whether the checksums are computed before it reads, as a hostile peer would.
 */
public final class TableFrameFuzz {
  /** Frames of each input that is not damaged. */
  private static final int FRAMES = 3;

  private static final int KERNELS = 1;
  private static final int SIGNED = 2;

  /** Larger tables are refused for lack of memory, or need more time than an input should. */
  private static final long MAX_BYTES = (1 << 20) - 1;

  private static final int RAW = 0;
  private static final int INT64 = 3;

  private TableFrameFuzz() {}

  /** Called by the fuzzer: loads Spark's classes, which takes longer than reading an input. */
  public static void fuzzerInitialize() throws Exception {
    for (byte[] seed : seeds()) {
      fuzzerTestOneInput(seed);
    }
  }

  /**
   * Called by the fuzzer: any bytes must result in tables of the sizes that their frames tell,
   * whose packed form a kernel may read, or a failed fetch; and all memory is free afterwards.
   */
  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    if (input.length == 0) {
      return;
    }
    byte[] wire = Arrays.copyOfRange(input, 1, input.length);
    if ((input[0] & SIGNED) != 0) {
      sign(wire);
    }
    ShuffleStats stats = new ShuffleStats();
    BlockId block = Reading.asking(Reading.only(1));
    InputStream stream = new ByteArrayInputStream(Reading.answer(FRAMES, wire));
    try (ArrivalMemory memory = new ArrivalMemory(Optional.empty());
        FetchedFrames frames =
            Reading.frames(
                List.of(new Tuple2<>(block, stream)), Map.of(1L, source(0, 1)), failures(stats))) {
      TableTransfer tables = new TableTransfer(frames, memory, (input[0] & KERNELS) != 0, stats);
      while (tables.hasNext()) {
        check(tables.next(), wire.length);
      }
    } catch (Exception e) {
      // A checked exception that Scala does not declare.
      if (!(e instanceof FetchFailedException) || e.getMessage().isBlank()) {
        throw e;
      }
    }
  }

  private static void check(TableRef ref, int wireBytes) {
    try (FetchedTable table = ref.fetched().orElseThrow()) {
      long arrived = table.data().pieces().stream().mapToLong(MemorySegment::byteSize).sum();
      boolean isPacked = table.packedBytes() > 0;
      if (arrived != (isPacked ? table.packedBytes() : ref.table().bytes())) {
        throw new AssertionError("%d bytes of %s".formatted(arrived, ref));
      }
      if (isPacked && arrived > wireBytes) {
        throw new AssertionError("more bytes than the input has");
      }
      if (isPacked
          && (arrived % PackedTables.ALIGNMENT != 0
              || arrived > PackedTables.maxBytes(ref.table().bytes()))) {
        throw new AssertionError("a kernel cannot read the %d bytes of %s".formatted(arrived, ref));
      }
      if (ref.table().rows() < 1 || ref.table().partition() < 0) {
        throw new AssertionError(ref.toString());
      }
    }
  }

  /** Computes the checksums of all frames, as far as their sizes fit. */
  private static void sign(byte[] wire) {
    ByteBuffer fields = ByteBuffer.wrap(wire).order(ByteOrder.LITTLE_ENDIAN);
    int at = 0;
    while (wire.length - at >= TableFrameDescriptor.HEADER_BYTES) {
      ByteBuffer frame = fields.slice(at, wire.length - at).order(ByteOrder.LITTLE_ENDIAN);
      int magic = frame.getInt(TableFrameDescriptor.MAGIC_OFFSET);
      boolean isPacked = magic == TableFrameDescriptor.PACKED_MAGIC;
      int extension = isPacked ? TableFrameDescriptor.EXTENSION_BYTES : 0;
      int dataAt = TableFrameDescriptor.HEADER_BYTES + extension;
      if (dataAt > frame.capacity()) {
        return;
      }
      long bytes = frame.getLong(TableFrameDescriptor.BYTES_OFFSET);
      if (bytes > MAX_BYTES) {
        bytes &= MAX_BYTES;
        frame.putLong(TableFrameDescriptor.BYTES_OFFSET, bytes);
      }
      int sizeAt = TableFrameDescriptor.HEADER_BYTES + TableFrameDescriptor.PACKED_BYTES_OFFSET;
      long sent = isPacked ? frame.getLong(sizeAt) : bytes;
      boolean isWhole = sent >= 0 && sent <= frame.capacity() - dataAt;
      if (isWhole) {
        int crc = Crc32c.of(frame.slice(dataAt, (int) sent));
        if (isPacked) {
          frame.putInt(
              TableFrameDescriptor.HEADER_BYTES + TableFrameDescriptor.PACKED_CRC_OFFSET, crc);
          // The plain bytes have no checksum: damage to packed bytes is found in their structure.
          frame.putInt(TableFrameDescriptor.CRC_OFFSET, 0);
        } else {
          frame.putInt(TableFrameDescriptor.CRC_OFFSET, crc);
        }
      }
      int extensionAt = at + TableFrameDescriptor.HEADER_BYTES;
      frame.putInt(
          TableFrameDescriptor.HEAD_CRC_OFFSET,
          TableFrameDescriptor.headCrc(
              Arrays.copyOfRange(wire, at, extensionAt),
              Arrays.copyOfRange(wire, extensionAt, extensionAt + extension)));
      if (!isWhole) {
        return;
      }
      at += dataAt + (int) sent;
    }
  }

  /** A frame of plain data, and two of packed data, for each reader. */
  public static List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (int reader = 0; reader < 4; reader++) {
      ByteBuffer wire = ByteBuffer.allocate(20_000).order(ByteOrder.LITTLE_ENDIAN);
      wire.put((byte) reader);
      frame(wire, 2, new byte[100], Optional.empty());
      frame(wire, 1, new byte[5_000], Optional.of(raw(new byte[5_000])));
      frame(wire, 0, numbers(), Optional.of(packedNumbers()));
      byte[] bytes = new byte[wire.position()];
      wire.flip().get(bytes);
      byte[] frames = Arrays.copyOfRange(bytes, 1, bytes.length);
      sign(frames);
      System.arraycopy(frames, 0, bytes, 1, frames.length);
      seeds.add(bytes);
    }
    return seeds;
  }

  private static void frame(ByteBuffer wire, int following, byte[] plain, Optional<byte[]> packed) {
    int at = wire.position();
    wire.putInt(
        at + TableFrameDescriptor.MAGIC_OFFSET,
        packed.isPresent() ? TableFrameDescriptor.PACKED_MAGIC : TableFrameDescriptor.MAGIC);
    wire.putInt(at + TableFrameDescriptor.PARTITION_OFFSET, 3);
    wire.putLong(at + TableFrameDescriptor.BYTES_OFFSET, plain.length);
    wire.putLong(at + TableFrameDescriptor.ROWS_OFFSET, 7);
    wire.putInt(at + TableFrameDescriptor.FOLLOWING_OFFSET, following);
    wire.position(at + TableFrameDescriptor.HEADER_BYTES);
    packed.ifPresent(bytes -> wire.putLong(bytes.length).putLong(0));
    wire.put(packed.orElse(plain));
  }

  /** A packed table whose blocks are as they are. */
  private static byte[] raw(byte[] plain) {
    int blocks = Math.ceilDiv(plain.length, PackedTables.BLOCK_BYTES);
    ByteBuffer packed = header(plain.length, blocks, plain.length);
    int start = (PackedTables.HEADER_BYTES + Long.BYTES * blocks) / Integer.BYTES;
    for (int block = 0; block < blocks; block++) {
      int bytes = Math.min(PackedTables.BLOCK_BYTES, plain.length - block * 4096);
      int words = bytes / Integer.BYTES;
      packed.putLong(entry(start, RAW, 0, words));
      start += words;
    }
    return bytes(packed.put(plain));
  }

  private static byte[] numbers() {
    ByteBuffer plain = ByteBuffer.allocate(800).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 100; i++) {
      plain.putLong(1_000 + i % 16);
    }
    return plain.array();
  }

  /** {@link #numbers} in codes of 4 bits above 1,000. */
  private static byte[] packedNumbers() {
    ByteBuffer packed = header(800, 1, 8 + 50);
    packed.putLong(entry(10, INT64, 4, 2 + 13)).putLong(1_000);
    for (int i = 0; i < 50; i++) {
      packed.put((byte) (2 * i % 16 | (2 * i + 1) % 16 << 4));
    }
    return bytes(packed);
  }

  private static byte[] bytes(ByteBuffer packed) {
    byte[] bytes = new byte[packed.capacity()];
    packed.get(0, bytes);
    return bytes;
  }

  private static ByteBuffer header(int plainBytes, int blocks, int payloadBytes) {
    int bytes = PackedTables.HEADER_BYTES + Long.BYTES * blocks + payloadBytes;
    int aligned = Math.ceilDiv(bytes, PackedTables.ALIGNMENT) * PackedTables.ALIGNMENT;
    return ByteBuffer.allocate(aligned)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(PackedTables.MAGIC)
        .putInt(PackedTables.VERSION)
        .putLong(plainBytes)
        .putLong(aligned)
        .putInt(blocks)
        .putInt(0);
  }

  private static long entry(int startWord, int layout, int stream, int words) {
    return startWord | ((long) layout << 32) | ((long) stream << 35) | ((long) words << 53);
  }
}
