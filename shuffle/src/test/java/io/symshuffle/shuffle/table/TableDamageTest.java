// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.fixture.FatalErrors;
import io.symshuffle.shuffle.layout.TableFrameDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.output.TableOutput;
import io.symshuffle.shuffle.serve.BlockServer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.spark.shuffle.FetchFailedException;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tables that are damaged in memory or in transfer. */
class TableDamageTest extends TableRoundTrip {
  @Test
  void failsFetchOnTruncatedOrDamagedTransfer() throws Exception {
    write(1, 1, 1, 2, 2_000);
    // Not compressed: other bytes of an LZ4 block can stand for the same data.
    byte[] whole = served(Codec.NONE, 1);
    assertTrue(transferred(1, whole).sources().size() > 1);
    for (int cut : new int[] {1, 39, 41, whole.length / 2, whole.length - 1}) {
      assertThrows(
          FetchFailedException.class,
          () -> transferred(1, Arrays.copyOf(whole, cut)),
          () -> "cut at " + cut);
    }
    for (int field = 0; field < TableFrameDescriptor.HEADER_BYTES; field += 4) {
      byte[] damaged = whole.clone();
      damaged[field + 3] ^= 0x40;
      int at = field;
      assertThrows(
          FetchFailedException.class, () -> transferred(1, damaged), () -> "field at " + at);
    }
    byte[] data = whole.clone();
    data[TableFrameDescriptor.HEADER_BYTES] ^= 1;
    assertThrows(FetchFailedException.class, () -> transferred(1, data, false));
  }

  @Test
  void failsTaskIfThereIsNoMemoryForTableOfAnotherHost() throws Exception {
    byte[] huge = new byte[TableFrameDescriptor.HEADER_BYTES];
    ByteBuffer fields =
        ByteBuffer.wrap(huge)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(TableFrameDescriptor.MAGIC_OFFSET, TableFrameDescriptor.MAGIC)
            .putLong(TableFrameDescriptor.BYTES_OFFSET, 1L << 50)
            .putLong(TableFrameDescriptor.ROWS_OFFSET, 1);
    fields.putInt(
        TableFrameDescriptor.HEAD_CRC_OFFSET, TableFrameDescriptor.headCrc(huge, new byte[0]));
    framesServed.put(1, 1);
    IllegalStateException failure =
        assertThrows(IllegalStateException.class, () -> transferred(1, huge));
    assertTrue(
        failure.getMessage().matches("no (direct|native) memory for a table of .*: raise .*"),
        failure.getMessage());
    FatalErrors.assertNone(failure);
  }

  @Test
  void failsFetchOnPlaceOutsideWindow() throws IOException {
    write(1, 1, 1, 1, 1_000);
    TableRef good = batch(0, 1, 1, 0, PARTITIONS).sources().getFirst();
    TableEntry table = good.table();
    TableEntry bad =
        new TableEntry(
            table.partition(), Tier.DEVICE, DEVICE_BYTES - 8, table.bytes(), table.rows(), 0);
    TableBatch batch =
        new TableBatch(
            List.of(TableRef.inPlace(good.map(), good.output().orElseThrow(), bad)), 1, 8);
    assertThrows(FetchFailedException.class, () -> assemble(0, batch));
    assertEquals(0, engines[0].open());
  }

  @Test
  void failsFetchOnFlippedBitInHostHeap() throws IOException {
    takeAll(tiers[1].slabs());
    write(1, 1, 1, 1, 1_000);
    TableBatch batch = batch(0, 1, 1, 0, PARTITIONS);
    flipABitInTheHostHeap(batch);
    assertThrows(FetchFailedException.class, () -> assemble(0, batch));
  }

  /** Without the fix this crashes the process: a checksum or a copy reads a missing page. */
  @Test
  void failsFetchWhenHeapFileIsTruncated() throws IOException {
    takeAll(tiers[1].slabs());
    write(1, 1, 1, 1, 1_000);
    Path file = folder.resolve("heap");
    try (FileChannel channel =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        Arena arena = Arena.ofShared()) {
      MemorySegment window = owners[1].window;
      MemorySegment mapped =
          channel.map(FileChannel.MapMode.READ_WRITE, 0, window.byteSize(), arena);
      mapped.copyFrom(window);
      TableBatch whole = batch(0, 1, 1, 0, PARTITIONS);
      TableBatch batch =
          new TableBatch(
              whole.sources().stream().map(source -> in(mapped, source)).toList(),
              whole.rows(),
              whole.bytes());
      assertEquals(whole.sources().size(), assemble(0, batch).numRows());
      channel.truncate(4096);
      FatalErrors.assertNone(assertThrows(FetchFailedException.class, () -> assemble(0, batch)));
      assertEquals(0, engines[0].open(), "buffers still open");
    }
  }

  private static TableRef in(MemorySegment window, TableRef source) {
    assertEquals(Tier.HOST, source.table().tier());
    TableOutput output = source.output().orElseThrow();
    return TableRef.inPlace(
        source.map(),
        new TableOutput(output.pe(), output.index(), window, output.files()),
        source.table());
  }

  @Test
  void failsFetchOnFlippedBitInDeviceHeap() throws IOException {
    write(1, 1, 1, 2, 1_000);
    flipABit(batch(0, 1, 1, 0, PARTITIONS));
    // Pulled, read in place, and served to a host that cannot access the GPU.
    assertThrows(FetchFailedException.class, () -> assemble(0, batch(0, 1, 1, 0, PARTITIONS)));
    assertThrows(FetchFailedException.class, () -> assemble(1, batch(1, 1, 1, 0, PARTITIONS)));
    byte[] served = served(1);
    assertThrows(FetchFailedException.class, () -> transferred(1, served, false));
    TableBatch onGpu = transferred(1, served);
    assertThrows(FetchFailedException.class, () -> assemble(0, onGpu));
    assertEquals(0, engines[0].open() + engines[1].open());
  }

  @Test
  void ignoresDamageWithoutChecksums() throws IOException {
    TableWriterAccess writer = writer(1, 1, false);
    List<Written> written = fill(writer, 1, 1, 1, 1, 1_000);
    writer.commit();
    TableBatch batch = batch(0, 1, 1, 0, PARTITIONS);
    batch.sources().forEach(source -> assertEquals(0, source.table().checksum()));
    flipABit(batch);
    try (BatchAssembler assembler = assembler(0, TYPES, false)) {
      assertEquals(written.size(), assembler.assemble(batch).numRows());
    }
  }

  /** An owner whose checksums fit, but not its tables: the engine would trust them. */
  @ParameterizedTest
  @MethodSource("damage")
  void failsFetchOnTableThatTheEngineCannotRead(UnaryOperator<byte[]> damage) throws Exception {
    write(1, 1, 1, 1, 2_000);
    engines[1].serializeWrongly(damage);
    write(1, 2, 1, 1, 2_000);
    byte[] served = served(2);
    BlockServer packing = server(PINNED_BYTES, true);
    byte[] packed;
    try (packing) {
      packed = served(packing, 2, 0, PARTITIONS);
    }
    takeAll(tiers[1].slabs());
    write(1, 3, 1, 1, 2_000);
    takeAll(owners[1].slabs);
    write(1, 4, 1, 1, 2_000);
    for (int reader : new int[] {0, 1}) {
      assemble(reader, batch(reader, 1, 1, 0, PARTITIONS)).close();
      engines[reader].beforeAssembly(() -> fail("the engine got the table"));
      for (Tier tier : Tier.values()) {
        int map = 2 + List.of(Tier.DEVICE, Tier.HOST, Tier.DISK).indexOf(tier);
        assertEquals(List.of(tier), tiersOf(1, map));
        assertWrongTable(() -> assemble(reader, batch(reader, 1, map, 0, PARTITIONS)));
      }
    }
    for (boolean hasKernels : new boolean[] {true, false}) {
      assertWrongTable(() -> assemble(0, transferred(2, served, hasKernels)));
      assertWrongTable(() -> assemble(0, transferred(2, packed, hasKernels)));
    }
    assertEquals(0, engines[0].open() + engines[1].open());
  }

  static Stream<Named<UnaryOperator<byte[]>>> damage() {
    return Stream.of(
        Named.of("magic", word(0, magic -> magic ^ 1)),
        Named.of("fewer rows", word(2, rows -> rows - 1)),
        Named.of("more rows", word(2, rows -> rows + 1)),
        Named.of("no rows", word(2, rows -> 0)),
        Named.of("validity", word(3, bytes -> bytes + 4)),
        Named.of("endless validity", word(3, bytes -> -1)),
        Named.of("offsets", word(4, bytes -> 8)),
        Named.of("length", word(5, bytes -> bytes - 4)),
        Named.of("endless", word(5, bytes -> Integer.MAX_VALUE)),
        Named.of("columns", word(6, columns -> 2)),
        Named.of("endless columns", word(6, columns -> -1)),
        Named.of("torn header", table -> Arrays.copyOf(table, 16)),
        Named.of("torn data", table -> Arrays.copyOf(table, table.length - 4)));
  }

  /** Changes a number in the header. */
  private static UnaryOperator<byte[]> word(int number, IntUnaryOperator change) {
    return table -> {
      ByteBuffer fields = ByteBuffer.wrap(table);
      int at = number * Integer.BYTES;
      return fields.putInt(at, change.applyAsInt(fields.getInt(at))).array();
    };
  }

  private static void assertWrongTable(Executable read) {
    FetchFailedException failed = assertThrows(FetchFailedException.class, read);
    assertTrue(
        failed.getMessage().matches("(?s).*a table of partition . (has|does|ends) .*"),
        failed.getMessage());
  }

  /** Flips a bit in the middle of the largest table, in the owner's memory. */
  private void flipABit(TableBatch batch) {
    TableEntry table = largest(batch);
    assertEquals(Tier.DEVICE, table.tier());
    DeviceRange byteOf = tiers[1].window().slice(table.place() + table.bytes() / 2, 1);
    try (Arena arena = Arena.ofConfined();
        CudaStream stream = tiers[1].context().newStream()) {
      MemorySegment one = arena.allocate(1);
      stream.copyOut(one, byteOf);
      stream.synchronize();
      one.set(ValueLayout.JAVA_BYTE, 0, (byte) (one.get(ValueLayout.JAVA_BYTE, 0) ^ 4));
      stream.copyIn(byteOf, one);
      stream.synchronize();
    }
  }
}
