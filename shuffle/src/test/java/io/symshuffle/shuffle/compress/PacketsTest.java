// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.compress;

import static io.symshuffle.shuffle.layout.PacketDescriptor.HEADER_BYTES;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.process.ChildProcess;
import io.symshuffle.shuffle.fixture.FatalErrors;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.FrameDescriptor;
import io.symshuffle.shuffle.layout.PacketDescriptor;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(SeededRandom.class)
class PacketsTest {
  private static final int PACKET = 4096;

  /** Maximum bytes of the records of a group with several records. */
  private static final int GROUP = 1000;

  @ParameterizedTest
  @EnumSource
  void restoresRowsOfAnyNumberAndEqualLength(Codec codec) throws Exception {
    for (int count : new int[] {1, 2, 7, 8, 9, 63, 64, 65, 71, 72, 127, 128, 1000}) {
      for (int words : new int[] {0, 1, 2, 3, 8, 20, 21, 100}) {
        assertRestored(codec, FrameShape.RECORDS, rows(count, i -> words * Long.BYTES));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void restoresRowsOfDifferentLengths(Codec codec, Random random) throws Exception {
    for (int count : new int[] {2, 8, 63, 64, 65, 200, 3000}) {
      for (int least : new int[] {0, 3, 25}) {
        byte[] data = rows(count, i -> (least + random.nextInt(30)) * Long.BYTES);
        assertRestored(codec, FrameShape.RECORDS, data);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void restoresFramesOfSeveralPartitions(Codec codec, Random random) throws Exception {
    for (int words : new int[] {1, 4, 30}) {
      for (boolean equal : new boolean[] {true, false}) {
        ByteBuffer wire = ByteBuffer.allocate(1 << 18).order(ByteOrder.LITTLE_ENDIAN);
        for (int frame = 0; frame < 40; frame++) {
          byte[] data =
              rows(
                  1 + random.nextInt(20),
                  i -> (words + (equal ? 0 : random.nextInt(8))) * Long.BYTES);
          wire.putInt(FrameDescriptor.MAGIC).putInt(random.nextInt(3));
          wire.putLong(data.length).putInt(random.nextInt()).putInt(39 - frame).put(data);
        }
        byte[] frames = Arrays.copyOf(wire.array(), wire.position());
        List<PacketHeader> packets = assertRestored(codec, FrameShape.RECORDS, frames);
        assertEquals(40, packets.stream().mapToInt(PacketHeader::frames).sum());
        assertTrue(packets.size() <= 2 + frames.length / (PACKET - GROUP - 300), packets::toString);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void restoresOpaqueBytes(Codec codec, Random random) throws Exception {
    for (int length : new int[] {1, 7, PACKET - 1, PACKET, PACKET + 1, 10 * PACKET + 5}) {
      byte[] data = new byte[length];
      assertRestored(codec, FrameShape.OPAQUE, data);
      random.nextBytes(data);
      assertRestored(codec, FrameShape.OPAQUE, data);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LZ4", "ZSTD"})
  void transposesOpaqueWordsIfThatIsSmaller(Codec codec, Random random) throws Exception {
    for (int rest : new int[] {0, 3, 8, 63}) {
      byte[] numbers = new byte[2 * PACKET + rest];
      for (int i = 0; i < numbers.length; i += Integer.BYTES) {
        numbers[i] = (byte) random.nextInt();
        numbers[Math.min(i + 1, numbers.length - 1)] = (byte) random.nextInt(20);
      }
      List<PacketHeader> packets = assertRestored(codec, FrameShape.OPAQUE, numbers);
      assertEquals(PacketDescriptor.OPAQUE_WORDS, packets.get(0).layout());
      byte[] text = "one two three four five six seven ".repeat(200).getBytes(UTF_8);
      packets = assertRestored(codec, FrameShape.OPAQUE, text);
      assertEquals(PacketDescriptor.OPAQUE, packets.get(0).layout());
    }
  }

  @ParameterizedTest
  @EnumSource
  void restoresSerializedRecordsWithPadding(Codec codec, Random random) throws Exception {
    byte[] data = rows(500, i -> random.nextInt(60));
    assertRestored(codec, FrameShape.RECORDS, data);
  }

  @ParameterizedTest
  @EnumSource
  void restoresRowsLongerThanPacket(Codec codec, Random random) throws Exception {
    IntUnaryOperator lengths = i -> (i % 5 == 2 ? 3 * PACKET + 800 : 40) * (i % 7 == 0 ? 2 : 1);
    List<PacketHeader> packets = assertRestored(codec, FrameShape.RECORDS, rows(40, lengths));
    assertTrue(
        packets.stream().anyMatch(packet -> packet.layout() != PacketDescriptor.OPAQUE),
        "short rows after a long one are not transposed");
    assertRestored(codec, FrameShape.RECORDS, rows(1, i -> PACKET));
    assertRestored(codec, FrameShape.RECORDS, rows(3, i -> PACKET - 8));
  }

  @Test
  void restoresDataThatAreNotRecords(Random random) throws Exception {
    for (int i = 0; i < 200; i++) {
      byte[] data = new byte[1 + random.nextInt(3 * PACKET)];
      if (i % 2 == 0) {
        random.nextBytes(data);
      }
      assertRestored(Codec.LZ4, FrameShape.RECORDS, data);
      // Rows, until one is damaged.
      byte[] rows = rows(300, row -> 32);
      rows[random.nextInt(rows.length)] ^= (byte) (1 + random.nextInt(255));
      assertRestored(Codec.LZ4, FrameShape.RECORDS, rows);
    }
  }

  @Test
  void transposesRows() throws Exception {
    byte[] data = rows(100, i -> i == 99 ? 32 : 24);
    PacketHeader header = assertRestored(Codec.NONE, FrameShape.RECORDS, data).get(0);
    assertEquals(PacketDescriptor.RECORDS, header.layout());
    assertEquals(3, header.words());
    assertEquals(100, header.records());
    assertEquals(4, header.groups());
    ByteBuffer packet = compress(Codec.NONE, FrameShape.RECORDS, data);
    byte[] groups = new byte[16];
    packet.get(HEADER_BYTES, groups);
    assertArrayEquals(new byte[] {3, 3, 3, 4, 0, 0, 0, 0, 41, 41, 17, 1, 0, 0, 0, 0}, groups);
    for (int row = 0; row < 100; row++) {
      int group = row == 99 ? 3 : row / 41;
      for (int b = 0; b < 24; b++) {
        assertEquals(
            data[8 * (group + 1) + 24 * row + b],
            packet.get(HEADER_BYTES + groups.length + b * 100 + row));
      }
    }
    assertEquals(HEADER_BYTES + groups.length + 2400 + 8, packet.remaining());
  }

  @ParameterizedTest
  @EnumSource
  void bytesThatDoNotShrinkAreNotCompressed(Codec codec, Random random) throws Exception {
    byte[] data = new byte[PACKET];
    random.nextBytes(data);
    ByteBuffer packet = compress(codec, FrameShape.OPAQUE, data);
    assertEquals(Codec.NONE, PacketHeader.read(packet).codec());
    assertEquals(HEADER_BYTES + PACKET, packet.remaining());
  }

  @Test
  void damagedHeadersAreRejected() throws Exception {
    byte[] good = bytes(compress(Codec.LZ4, FrameShape.RECORDS, rows(64, i -> 24)));
    assertRejected(good, PacketDescriptor.MAGIC_OFFSET, 0);
    assertRejected(good, PacketDescriptor.CODEC_OFFSET, 0x0003_0401);
    assertRejected(good, PacketDescriptor.CODEC_OFFSET, 0x0003_0103);
    int max = PacketDescriptor.MAX_DATA_BYTES;
    for (int value : new int[] {0, -1, 64 * 24 + 8, 64 * 24 + 20, max + 2048}) {
      assertRejected(good, PacketDescriptor.DATA_BYTES_OFFSET, value);
    }
    for (int value : new int[] {-1, Integer.MIN_VALUE, 64 * 24 + 16, Integer.MAX_VALUE}) {
      assertRejected(good, PacketDescriptor.BODY_BYTES_OFFSET, value);
    }
    for (int value : new int[] {0, 1, -1, 65, 128, Integer.MAX_VALUE, 1 << 29}) {
      assertRejected(good, PacketDescriptor.RECORDS_OFFSET, value);
    }
    for (int value : new int[] {0, -1, 3, 65, 1 << 29, Integer.MAX_VALUE}) {
      assertRejected(good, PacketDescriptor.GROUPS_OFFSET, value);
    }
    for (int value : new int[] {1, -1, 1 << 28, Integer.MAX_VALUE}) {
      assertRejected(good, PacketDescriptor.FRAMES_OFFSET, value);
    }
    // 4 words do not fit into rows of 3.
    assertRejected(good, PacketDescriptor.CODEC_OFFSET, 0x0004_0101);
  }

  private static void assertRejected(byte[] good, int offset, int value) {
    byte[] bad = good.clone();
    little(bad).putInt(offset, value);
    CorruptPacketException e =
        assertThrows(CorruptPacketException.class, () -> PacketHeader.read(ByteBuffer.wrap(bad)));
    assertTrue(e.getMessage().contains("packet") || e.getMessage().contains("PacketHeader"));
  }

  /** Compresses and decompresses arrays and native memory; returns the headers of the packets. */
  private static List<PacketHeader> assertRestored(Codec codec, FrameShape shape, byte[] data)
      throws CorruptPacketException {
    byte[] packets = bytes(compress(codec, shape, data));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(data.length, Long.BYTES);
      memory.copyFrom(MemorySegment.ofArray(data));
      assertArrayEquals(packets, bytes(compress(codec, shape, memory)));
      MemorySegment restored = arena.allocate(data.length, Long.BYTES);
      ByteBuffer direct = ByteBuffer.allocateDirect(packets.length).put(packets).flip();
      decompress(direct, restored);
      assertEquals(-1, restored.mismatch(memory));
    }
    byte[] restored = new byte[data.length];
    List<PacketHeader> headers =
        decompress(ByteBuffer.wrap(packets), MemorySegment.ofArray(restored));
    assertArrayEquals(data, restored);
    return headers;
  }

  /** A thread that reads for a task, such as one that feeds a script, may outlive the task. */
  @RepeatedTest(20)
  void closesWhileAnotherThreadDecompresses() throws Exception {
    byte[] data = rows(2_000, length -> 200);
    ByteBuffer packets = compress(Codec.ZSTD, FrameShape.OPAQUE, MemorySegment.ofArray(data));
    BlockDecompressor decompressor = new BlockDecompressor();
    CountDownLatch first = new CountDownLatch(1);
    FutureTask<Void> late =
        new FutureTask<>(
            () -> {
              MemorySegment to = MemorySegment.ofArray(new byte[data.length]);
              while (true) {
                decompressor.next(packets.duplicate().order(packets.order()), to);
                first.countDown();
              }
            });
    Thread.ofPlatform().daemon().start(late);
    first.await();
    decompressor.close();
    assertInstanceOf(
        IllegalStateException.class, assertThrows(ExecutionException.class, late::get).getCause());
  }

  private static ByteBuffer compress(Codec codec, FrameShape shape, byte[] data) {
    return compress(codec, shape, MemorySegment.ofArray(data));
  }

  private static ByteBuffer compress(Codec codec, FrameShape shape, MemorySegment data) {
    ByteArrayOutputStream packets = new ByteArrayOutputStream();
    try (BlockCompressor compressor = new BlockCompressor(codec, PACKET)) {
      ByteBuffer packet = ByteBuffer.allocateDirect(compressor.maxPacketBytes());
      compressor.begin(shape);
      for (long done = 0; done < data.byteSize(); ) {
        int count = compressor.compress(data.asSlice(done), packet.clear());
        assertTrue(count > 0 && count <= PACKET, () -> count + " bytes consumed");
        done += count;
        packets.writeBytes(bytes(packet.flip()));
      }
    }
    return ByteBuffer.wrap(packets.toByteArray());
  }

  private static List<PacketHeader> decompress(ByteBuffer packets, MemorySegment data)
      throws CorruptPacketException {
    List<PacketHeader> headers = new ArrayList<>();
    long done = 0;
    try (BlockDecompressor decompressor = new BlockDecompressor()) {
      while (packets.hasRemaining()) {
        PacketHeader header = PacketHeader.read(packets);
        packets.position(packets.position() + HEADER_BYTES);
        decompressor.decompress(header, packets, data.asSlice(done));
        done += header.dataBytes();
        headers.add(header);
      }
    }
    return headers;
  }

  /**
   * Groups of rows of given lengths in bytes: small numbers, and text at the end of long ones. Each
   * is as large as it may be.
   */
  private static byte[] rows(int count, IntUnaryOperator length) {
    ByteBuffer rows = ByteBuffer.allocate(1 << 20).order(ByteOrder.LITTLE_ENDIAN);
    Random random = new Random(1);
    int group = 0;
    for (int row = 0; row < count; row++) {
      int bytes = length.applyAsInt(row);
      int inGroup = rows.position() == 0 ? 0 : rows.getInt(group + 4);
      if (inGroup > 0 && rows.getInt(group) == bytes && (inGroup + 1) * bytes <= GROUP) {
        rows.putInt(group + 4, inGroup + 1);
      } else {
        group = rows.position();
        rows.putInt(bytes).putInt(1);
      }
      for (int b = 0; b < bytes; b++) {
        boolean low = b % Long.BYTES < 2;
        rows.put((byte) (b < 32 ? (low ? random.nextInt() : b) : 'a' + random.nextInt(6)));
      }
      while (rows.position() % Long.BYTES != 0) {
        rows.put((byte) random.nextInt()); // padding has any bits
      }
    }
    return Arrays.copyOf(rows.array(), rows.position());
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  @Test
  void failsTaskWithRemedyWhenDirectMemoryIsShort() {
    ChildProcess.Result result =
        ChildProcess.java(
                List.of("-Xmx64m", "-XX:MaxDirectMemorySize=64k"),
                SmallDirectMemory.class.getName(),
                List.of())
            .run(Duration.ofMinutes(10));

    assertEquals(0, result.status(), result.output());
    assertTrue(
        result.output().contains("131072 bytes to transfer blocks: raise -XX:MaxDirectMemorySize"),
        result.output());
  }

  /** Decompresses a packet that is larger than the JVM's direct memory. */
  static final class SmallDirectMemory {
    private SmallDirectMemory() {}

    public static void main(String[] arguments) throws CorruptPacketException {
      PacketHeader header =
          new PacketHeader(Codec.LZ4, PacketDescriptor.OPAQUE, 0, 128 << 10, 100, 0, 0, 0);
      try (BlockDecompressor decompressor = new BlockDecompressor()) {
        decompressor.decompress(
            header, ByteBuffer.allocate(100), MemorySegment.ofArray(new byte[128 << 10]));
      } catch (IllegalStateException e) {
        FatalErrors.assertNone(e);
        System.out.println(e.getMessage());
      }
    }
  }
}
