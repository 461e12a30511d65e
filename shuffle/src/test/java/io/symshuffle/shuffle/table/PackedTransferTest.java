// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.PinnedPool;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.TableFrameDescriptor;
import io.symshuffle.shuffle.read.FetchFailures;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.serve.BlockServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.spark.shuffle.FetchFailedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables that the GPU of one host packs, and that of another one unpacks. */
class PackedTransferTest extends TableRoundTrip {
  static {
    // Hundreds of fetches are expected to fail.
    Configurator.setLevel(FetchFailures.class, Level.ERROR);
  }

  private static final long PINNED = 4L * PinnedPool.PAGE_BYTES;

  @ParameterizedTest
  @ValueSource(ints = {1, 1000, 5_000, 8_000})
  void packedTablesArrive(int numbers) throws Exception {
    List<Written> written = writeNumbers(1, numbers);
    byte[] wire = packed(1, 0, PARTITIONS);
    assemble(0, transferred(1, wire));
    assertSame(written, engines[0]);
    if (numbers > 1_000) {
      assertTrue(wire.length < bytesOf(written) / 2, () -> wire.length + " bytes");
      assertTrue(stats.sum(ShuffleCounter.STAGED_BYTES_SENT) < bytesOf(written) / 2);
      assertTrue(stats.sum(ShuffleCounter.SEND_PACK_NANOS) > 0);
    }
    assertEquals(bytesOf(written), stats.sum(ShuffleCounter.BYTES_STAGED));
    assertEquals(bytesOf(written), stats.sum(ShuffleCounter.TRANSFER_BYTES_READ));
    assertEquals(0, engines[0].open() + engines[1].open());
  }

  @Test
  void blockMayHavePackedAndOtherTables() throws Exception {
    List<Written> written = writeNumbers(1, 3_000);
    List<Written> random = write(1, 2, 1, 2, 5_000);
    BlockServer server = server(PINNED, true);
    try (server) {
      assemble(0, transferred(1, served(server, 1, 0, PARTITIONS)));
      byte[] wire = served(server, 2, 0, PARTITIONS);
      assemble(0, transferred(2, wire));
      assertTrue(wire.length >= bytesOf(random));
    }
    written.addAll(random);
    assertSame(written, engines[0]);
  }

  @Test
  void readerWithoutKernelsUnpacksOnItsCpu() throws Exception {
    List<Written> written = writeNumbers(1, 5_000);
    TableBatch batch = transferred(1, packed(1, 0, PARTITIONS), false);
    TableCopies copies = new TableCopies(engines[0], Optional.empty(), Optional.of(pools[0]));
    try (BatchAssembler assembler = assembler(0, TYPES, copies, true)) {
      assembler.assemble(batch);
    }
    batch.close();
    assertSame(written, engines[0]);
  }

  @Test
  void tablesAreNotPackedWithoutRoomInTheDeviceHeap() throws Exception {
    List<Written> written = writeNumbers(1, 3_000);
    takeAll(tiers[1].slabs());
    byte[] wire = packed(1, 0, PARTITIONS);
    assertTrue(wire.length > bytesOf(written));
    assertEquals(bytesOf(written), stats.sum(ShuffleCounter.STAGED_BYTES_SENT));
    assemble(0, transferred(1, wire));
    assertSame(written, engines[0]);
  }

  @Test
  void senderLeavesTheDeviceHeapWhenItIsClosed() throws Exception {
    writeNumbers(1, 3_000);
    long used = tiers[1].slabs().stats().usedBytes();
    packed(1, 0, PARTITIONS);
    assertEquals(used, tiers[1].slabs().stats().usedBytes());
  }

  /** The reader's pinned memory is exhausted, and its GPU has no memory for the packed tables. */
  @Test
  void packedTablesArriveWithoutPinnedMemory() throws Exception {
    pinAtMost(0);
    List<Written> written = writeNumbers(1, 3_000);
    TableBatch batch = transferred(1, packed(1, 0, PARTITIONS));
    FakeLibraries.script(folder.resolve("cuda-0"), "alloc_most=1000");
    BatchAssembler assembler = assembler(0, TYPES);
    assertThrows(RuntimeException.class, () -> assembler.assemble(batch));
    FakeLibraries.script(folder.resolve("cuda-0"));
    assertEquals(0, engines[0].open(), "buffers still open");
    // As the engine's retry does.
    assembler.assemble(batch);
    assembler.close();
    assertSame(written, engines[0]);
  }

  /** The reader's GPU has no memory for the launches that unpack, verify and check tables. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void packedTablesAreUnpackedOnTheCpuWithoutMemoryForALaunch(int refused) throws Exception {
    List<Written> written = writeNumbers(1, 3_000);
    TableBatch batch = transferred(1, packed(1, 0, PARTITIONS));
    // Other memory of the GPU is the engine's, which does not use pinned memory.
    FakeLibraries.script(folder.resolve("cuda-0"), "refuse_cuMemHostAlloc=" + refused + "+");
    assemble(0, batch);
    FakeLibraries.script(folder.resolve("cuda-0"));
    assertSame(written, engines[0]);
    assertEquals(0, engines[0].open(), "buffers still open");
  }

  @Test
  void damageIsFoundWithoutMemoryForALaunch() throws Exception {
    List<Written> written = writeNumbers(1, 1_000);
    byte[] wire = packed(1, written.getLast().partition(), written.getLast().partition() + 1);
    wire[dataAt(wire)] ^= 1;
    sign(wire);
    FakeLibraries.script(folder.resolve("cuda-0"), "refuse_cuMemHostAlloc=1+");
    FetchFailedException failed = assertThrows(FetchFailedException.class, () -> drain(wire));
    assertTrue(failed.getMessage().endsWith("cannot be unpacked"), failed.getMessage());
  }

  @Test
  void transferThatBreaksOffIsAFailedFetch() throws Exception {
    writeNumbers(1, 2_000);
    byte[] wire = packed(1, 0, PARTITIONS);
    for (int cut = 1; cut < wire.length; cut += 1 + cut / 7) {
      byte[] part = Arrays.copyOf(wire, cut);
      assertThrows(FetchFailedException.class, () -> drain(part), "cut at " + cut);
    }
  }

  @Test
  void damageIsAFailedFetch() throws Exception {
    writeNumbers(1, 1_000);
    byte[] wire = packed(1, 0, PARTITIONS);
    for (int at = 0; at < wire.length; at += 1 + random.nextInt(97)) {
      byte[] damaged = wire.clone();
      damaged[at] ^= (byte) (1 + random.nextInt(255));
      int place = at;
      assertThrows(FetchFailedException.class, () -> drain(damaged), () -> "byte " + place);
    }
  }

  /** An owner whose checksums of head and packed data fit, but whose packed data does not. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void packedDataThatIsWrongInAnyByteIsAFailedFetch(boolean hasKernels) throws Exception {
    List<Written> written = writeNumbers(1, 1_000);
    byte[] wire = packed(1, written.getLast().partition(), written.getLast().partition() + 1);
    for (int at = dataAt(wire); at < wire.length; at += 1 + random.nextInt(13)) {
      byte[] damaged = wire.clone();
      damaged[at] ^= (byte) (1 + random.nextInt(255));
      sign(damaged);
      int place = at;
      // Bits that no code uses may be anything.
      try {
        TableBatch batch = transferred(1, damaged, hasKernels);
        assemble(0, batch);
        assertTrue(
            Arrays.equals(written.getLast().data(), engines[0].assembledData().getLast()),
            () -> "byte " + place + ", seed " + seed);
      } catch (Exception e) {
        // A checked exception that Scala does not declare.
        assertInstanceOf(FetchFailedException.class, e);
        assertEquals(0, engines[0].open(), "buffers still open");
      }
    }
  }

  @Test
  void sizesThatDoNotFitAreAFailedFetch() throws Exception {
    List<Written> written = writeNumbers(1, 1_000);
    int partition = written.getLast().partition();
    byte[] wire = packed(1, partition, partition + 1);
    long[] plain = {0, -1, 8, 1L << 20, 1L << 33, (1L << 33) + 1, Long.MAX_VALUE};
    for (long bytes : plain) {
      byte[] damaged = wire.clone();
      fields(damaged).putLong(TableFrameDescriptor.BYTES_OFFSET, bytes);
      sign(damaged);
      assertThrows(FetchFailedException.class, () -> drain(damaged), bytes + " bytes");
    }
    long[] packed = {0, -1, 16, 17, 1L << 40, Long.MAX_VALUE, wire.length - dataAt(wire) - 16L};
    for (long bytes : packed) {
      byte[] damaged = wire.clone();
      fields(damaged)
          .putLong(
              TableFrameDescriptor.HEADER_BYTES + TableFrameDescriptor.PACKED_BYTES_OFFSET, bytes);
      sign(damaged);
      assertThrows(FetchFailedException.class, () -> drain(damaged), bytes + " packed bytes");
    }
  }

  /** Reads all tables of a block on PE 0. */
  private void drain(byte[] wire) {
    try {
      assemble(0, transferred(1, wire));
    } finally {
      memory.close();
      memory = new ArrivalMemory(Optional.of(pools[0]));
      assertEquals(0, pools[0].usedBytes(), "memory of a failed fetch");
      assertEquals(0, engines[0].open(), "buffers still open");
    }
  }

  private static ByteBuffer fields(byte[] wire) {
    return ByteBuffer.wrap(wire).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Offset of the packed data of the first frame. */
  private static int dataAt(byte[] wire) {
    assertEquals(
        TableFrameDescriptor.PACKED_MAGIC, fields(wire).getInt(TableFrameDescriptor.MAGIC_OFFSET));
    return TableFrameDescriptor.HEADER_BYTES + TableFrameDescriptor.EXTENSION_BYTES;
  }

  /** Computes the checksums of the only frame of a block. */
  private static void sign(byte[] wire) {
    int data = dataAt(wire);
    int extensionAt = TableFrameDescriptor.HEADER_BYTES;
    fields(wire)
        .putInt(
            extensionAt + TableFrameDescriptor.PACKED_CRC_OFFSET,
            Crc32c.of(ByteBuffer.wrap(wire, data, wire.length - data).slice()));
    fields(wire)
        .putInt(
            TableFrameDescriptor.HEAD_CRC_OFFSET,
            TableFrameDescriptor.headCrc(
                Arrays.copyOf(wire, extensionAt), Arrays.copyOfRange(wire, extensionAt, data)));
  }

  private byte[] packed(int map, int start, int end) throws IOException {
    BlockServer server = server(PINNED, true);
    try (server) {
      return served(server, map, start, end);
    }
  }
}
