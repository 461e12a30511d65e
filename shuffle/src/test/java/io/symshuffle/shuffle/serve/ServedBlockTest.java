// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.AnswerDescriptor;
import io.symshuffle.shuffle.layout.AnswerLimit;
import io.symshuffle.shuffle.layout.FrameDescriptor;
import io.symshuffle.shuffle.layout.MapIdRange;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.MapOutputs;
import io.symshuffle.shuffle.output.Owner;
import io.symshuffle.shuffle.output.Records;
import io.symshuffle.shuffle.output.RunView;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32C;
import org.apache.spark.network.protocol.EncryptedMessageWithHeader;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(SeededRandom.class)
class ServedBlockTest {
  private static final int PARTITIONS = 30;
  private static final MapOutputId ID = new MapOutputId(9, 4);

  @TempDir Path disk;
  @AutoClose private final Windows windows = new Windows();
  private final ShuffleStats stats = new ShuffleStats();
  private Owner owner;
  private ControlView control;

  /** Accepts a random number of bytes per write, sometimes none, as a socket does. */
  private static final class FussyChannel implements WritableByteChannel {
    final ByteArrayOutputStream taken = new ByteArrayOutputStream();
    private final Random random;
    private final int most;

    FussyChannel(Random random, int most) {
      this.random = random;
      this.most = most;
    }

    @Override
    public int write(ByteBuffer from) {
      byte[] bytes = new byte[Math.min(random.nextInt(most + 1), from.remaining())];
      from.get(bytes);
      taken.writeBytes(bytes);
      return bytes.length;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  @BeforeEach
  void start() {
    owner = Owner.add(windows, 64 << 20, disk);
    control = ControlView.open(owner.window);
  }

  @Test
  void sendsRecordsOfRequestedPartitions(Random random) throws IOException {
    Records all = publish(random, 200);
    for (int round = 0; round < 30; round++) {
      int first = random.nextInt(PARTITIONS);
      int end = first + 1 + random.nextInt(PARTITIONS - first);
      byte[] bytes = stream(block(first, end));
      parse(bytes).assertSameAs(all.range(first, end));
    }
  }

  @Test
  void sendsRecordsOfRunsThatAreCompressedOnDisk(Random random) throws IOException {
    Records run = compressible(random);
    owner.publish(ID, List.of(run, run), List.of(Tier.DISK, Tier.HOST));
    assertTrue(Files.size(owner.files().getFirst()) < run.bytes(0));
    Records twice = new Records();
    twice.addAll(run);
    twice.addAll(run);
    parse(stream(block(0, PARTITIONS))).assertSameAs(twice);
    parse(stream(block(1, 2))).assertSameAs(twice.range(1, 2));
  }

  /** A transfer that failed would be blamed on other map outputs. */
  @Test
  void sendsDamagedPacketsAsABlockWithAWrongChecksum(Random random) throws IOException {
    Records run = compressible(random);
    owner.publish(ID, List.of(run), List.of(Tier.DISK));
    RunView view = new MapOutputs(windows.heap(0)).find(0, ID).orElseThrow().rows().index().run(0);
    assertTrue(view.isPacked());
    Path file = owner.files().getFirst();
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) view.storedPlace(1)] ^= 1;
    Files.write(file, bytes);
    ByteBuffer wire = ByteBuffer.wrap(stream(block(0, PARTITIONS))).order(ByteOrder.LITTLE_ENDIAN);
    wire.position(AnswerDescriptor.bytes(1, 0));
    for (int partition = 0; partition < 3; partition++) {
      assertEquals(partition, wire.getInt(wire.position() + FrameDescriptor.PARTITION_OFFSET));
      int checksum = wire.getInt(wire.position() + FrameDescriptor.CRC_OFFSET) - partition;
      int start = wire.position() + FrameDescriptor.HEADER_BYTES;
      int size = Math.toIntExact(run.bytes(partition));
      CRC32C crc = new CRC32C();
      crc.update(wire.slice(start, size));
      assertEquals(partition != 1, (int) crc.getValue() == checksum, "partition " + partition);
      wire.position(start + size);
    }
    assertFalse(wire.hasRemaining());
  }

  /** Records of three partitions, in blocks of several packets each. */
  private static Records compressible(Random random) {
    Records run = new Records();
    for (int i = 0; i < 20_000; i++) {
      byte[] row = new byte[40];
      row[random.nextInt(8)] = (byte) random.nextInt();
      run.add(random.nextInt(3), row);
    }
    return run;
  }

  private static Records parse(byte[] bytes) {
    Records found = new Records();
    ByteBuffer wire = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    // The head lists no map output if the partitions are empty.
    wire.position(AnswerDescriptor.bytes(bytes.length == AnswerDescriptor.bytes(0, 0) ? 0 : 1, 0));
    int following = -1;
    while (wire.hasRemaining()) {
      assertEquals(FrameDescriptor.MAGIC, wire.getInt());
      int partition = wire.getInt();
      int size = Math.toIntExact(wire.getLong());
      int checksum = wire.getInt() - partition;
      int after = wire.getInt();
      assertTrue(following == -1 || after == following - 1);
      following = after;
      ByteBuffer records = wire.slice(wire.position(), size).order(ByteOrder.LITTLE_ENDIAN);
      CRC32C crc = new CRC32C();
      crc.update(records.duplicate());
      assertEquals((int) crc.getValue(), checksum);
      found.parse(partition, records);
      wire.position(wire.position() + size);
    }
    assertTrue(following <= 0, () -> "frames are missing");
    return found;
  }

  @Test
  void sendsAsManyBytesAsReported(Random random) throws Exception {
    for (int longest : new int[] {50, 5_000, 60_000}) {
      publish(random, longest);
      ServedBlock block = block(0, PARTITIONS);
      byte[] expected = stream(block);
      assertEquals(block.size(), expected.length);
      assertArrayEquals(expected, inOddPieces(block, random));
      assertArrayEquals(expected, block.nioByteBuffer().array());
      try (InputStream ssl = (InputStream) block.convertToNettyForSsl()) {
        assertArrayEquals(expected, ssl.readAllBytes());
      }
      assertEquals(0, stats.sum(ShuffleCounter.BYTES_SERVED));
      for (int most : new int[] {10, 3_000, 1 << 20, Integer.MAX_VALUE - 1}) {
        if (expected.length / most > 100_000) {
          continue;
        }
        FussyChannel channel = new FussyChannel(random, most);
        FrameRegion region = (FrameRegion) block.convertToNetty();
        assertEquals(expected.length, region.count());
        assertEquals(0, region.position());
        while (region.transferred() < region.count()) {
          long before = region.transferred();
          long sent = region.transferTo(channel, before);
          assertEquals(before + sent, region.transferred());
          assertEquals(channel.taken.size(), region.transferred());
        }
        assertEquals(0, region.transferTo(channel, region.transferred()));
        assertArrayEquals(expected, channel.taken.toByteArray());
        assertTrue(region.release());
      }
      block.release();
      stats.add(ShuffleCounter.BYTES_SERVED, -stats.sum(ShuffleCounter.BYTES_SERVED));
      owner.store.unregister(ID.shuffleId());
      owner.store.reclaim();
    }
  }

  @Test
  void allocatesOnlyWhatItSendsWithTls(Random random) throws Exception {
    publish(random, 50);
    ServedBlock block = block(0, PARTITIONS);
    byte[] expected = stream(block);
    EncryptedMessageWithHeader message =
        new EncryptedMessageWithHeader(
            block, Unpooled.buffer(), block.convertToNettyForSsl(), block.size());
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    long allocated = 0;
    while (!message.isEndOfInput()) {
      ByteBuf chunk = message.readChunk(UnpooledByteBufAllocator.DEFAULT);
      allocated += chunk.capacity();
      chunk.readBytes(sent, chunk.readableBytes());
      chunk.release();
    }
    message.close();
    assertArrayEquals(expected, sent.toByteArray());
    assertTrue(
        allocated <= 2L * expected.length,
        "%d bytes allocated to send %d".formatted(allocated, expected.length));
    assertFalse(control.isLeased(ID.shuffleId()));
  }

  @Test
  void closesLeaseWithLastReference(Random random) throws IOException {
    publish(random, 100);
    ServedBlock block = block(0, PARTITIONS);
    stream(block);
    assertTrue(control.isLeased(ID.shuffleId()));
    block.retain();
    block.release();
    assertTrue(control.isLeased(ID.shuffleId()));
    ServedBlock other = block(3, 4);
    stream(other);
    block.release();
    assertTrue(control.isLeased(ID.shuffleId()), "the other block's lease was closed");
    other.release();
    assertFalse(control.isLeased(ID.shuffleId()));
  }

  @Test
  void holdsNoLeaseBeforeFirstRead(Random random) throws IOException {
    publish(random, 100);
    ServedBlock dropped = block(0, PARTITIONS);
    assertTrue(dropped.size() > 0);
    assertFalse(control.isLeased(ID.shuffleId()));
    dropped.release();
    assertEquals(
        "the block was released before it was read",
        assertThrows(IOException.class, dropped::convertToNetty).getMessage());
    assertFalse(control.isLeased(ID.shuffleId()));
  }

  @Test
  void failsToSendBlockOfUnregisteredShuffle(Random random) throws IOException {
    publish(random, 100);
    ServedBlock block =
        block(
            () -> {
              throw new IOException("unregistered");
            },
            Compressors.of(Codec.NONE, stats));
    assertThrows(IOException.class, block::convertToNetty);
    assertThrows(IOException.class, block::convertToNettyForSsl);
    assertThrows(IOException.class, block::nioByteBuffer);
    block.release();
    assertFalse(control.isLeased(ID.shuffleId()));
  }

  @Test
  void sendsOnlyHeadForEmptyPartitions() throws IOException {
    Records run = new Records();
    run.add(3, new byte[] {1});
    owner.publish(ID, List.of(run), List.of(Tier.HOST));
    ServedBlock block = block(4, PARTITIONS);
    assertEquals(AnswerDescriptor.bytes(0, 0), block.size());
    assertEquals(AnswerDescriptor.bytes(0, 0), stream(block).length);
    assertEquals(AnswerDescriptor.bytes(0, 0), block.nioByteBuffer().remaining());
  }

  @Test
  void failsTransferOfTruncatedOrMissingFile(Random random) throws IOException {
    Records run = new Records();
    byte[] record = new byte[3_000_000];
    random.nextBytes(record);
    run.add(3, record);
    owner.publish(ID, List.of(run), List.of(Tier.DISK));
    Path file = owner.files().getFirst();
    Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 2_000_000));
    ServedBlock block = block(3, 4);
    assertThrows(IOException.class, () -> stream(block));
    Files.delete(file);
    assertThrows(IOException.class, block::nioByteBuffer);
    FrameRegion region = (FrameRegion) block.convertToNetty();
    FussyChannel channel = new FussyChannel(new Random(1), 5_000_000);
    assertThrows(
        IOException.class,
        () -> {
          while (true) {
            region.transferTo(channel, region.transferred());
          }
        });
    region.release();
    block.release();
    assertFalse(control.isLeased(ID.shuffleId()));
  }

  @Test
  void sendsBlockUncompressedWithoutMemoryToCompressIt(Random random) throws Exception {
    Records all = publish(random, 200);
    CompletableFuture<Thread> compressing = new CompletableFuture<>();
    UnaryOperator<OutputReader> withoutMemory =
        data ->
            compressing.isDone()
                ? data
                : new OutputReader() {
                  @Override
                  public ByteBuffer read(Tier tier, long place, int count) {
                    compressing.complete(Thread.currentThread());
                    throw new OutOfMemoryError("Cannot reserve direct buffer memory");
                  }

                  @Override
                  public void close() {
                    data.close();
                  }
                };
    List<Throwable> uncaught = Collections.synchronizedList(new ArrayList<>());
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    // Spark's handler ends the executor.
    Thread.setDefaultUncaughtExceptionHandler((thread, e) -> uncaught.add(e));
    try {
      TransferCompressor compressor = Compressors.of(Codec.LZ4, stats);
      try (compressor) {
        ServedBlock block = block(0, PARTITIONS, withoutMemory, compressor);
        parse(stream(block)).assertSameAs(all);
        block.release();
      }
      compressing.get(60, TimeUnit.SECONDS).join();
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
    assertEquals(List.of(), uncaught);
  }

  @Test
  void sendsBlockUncompressedThatIsNotCompressedInTime(Random random) throws Exception {
    Records all = publish(random, 200);
    Thread sending = Thread.currentThread();
    UnaryOperator<OutputReader> endless =
        data -> {
          try {
            if (!Thread.currentThread().equals(sending)) {
              new CountDownLatch(1).await();
            }
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the compressor is closed
          }
          return data;
        };
    TransferCompressor compressor = Compressors.of(Codec.LZ4, stats);
    try (compressor) {
      SendOptions impatient = new SendOptions(Duration.ofMillis(20), 0, false);
      ServedBlock block =
          block(
              Compressors.server(compressor, Optional.empty(), impatient, endless, stats),
              0,
              PARTITIONS,
              () -> owner.leases.acquire(ID.shuffleId()));
      parse(stream(block)).assertSameAs(all);
      block.release();
    }
  }

  @Test
  void keepsBuffersOfBlocksWhoseShuffleHasEnded(Random random) throws IOException {
    publish(random, 200);
    TransferCompressor compressor = Compressors.of(Codec.LZ4, stats);
    try (compressor) {
      long before = directBytes();
      for (int i = 0; i < 100; i++) {
        ServedBlock block =
            block(
                () -> {
                  throw new IOException("unregistered");
                },
                compressor);
        block.size(); // waits for the compressor
        block.release();
      }
      long more = directBytes() - before;
      assertTrue(more < 20 << 20, () -> more + " bytes of direct memory");
    }
  }

  /** The answer of a host has thousands of map outputs, and only a collection frees buffers. */
  @Test
  void sendsManyMapOutputsOnDiskThroughFewBuffers(Random random) throws IOException {
    MapIdRange all = new MapIdRange(0, 39);
    List<MapOutput> outputs = new ArrayList<>();
    for (long map = all.first(); map <= all.last(); map++) {
      MapOutputId id = new MapOutputId(ID.shuffleId(), map);
      owner.publish(id, List.of(Records.random(random, 10, 1, 200_000)), List.of(Tier.DISK));
      outputs.add(new MapOutputs(windows.heap(0)).find(0, id).orElseThrow());
    }
    BlockServer server = Compressors.server(Compressors.of(Codec.NONE, stats), stats);
    long before = directBytes();
    long sent =
        stream(
                server.answer(
                    all,
                    AnswerLimit.MAX_BYTES,
                    outputs,
                    0,
                    1,
                    () -> owner.leases.acquire(ID.shuffleId())))
            .length;
    long more = directBytes() - before;
    assertTrue(sent > 20 << 20, () -> sent + " bytes were sent");
    assertTrue(more < 8 << 20, () -> more + " bytes of direct memory");
  }

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getTotalCapacity)
        .sum();
  }

  private ServedBlock block(LeaseSupplier leases, TransferCompressor compressor)
      throws IOException {
    return block(Compressors.server(compressor, stats), 0, PARTITIONS, leases);
  }

  private Records publish(Random random, int longest) throws IOException {
    List<Records> runs = new ArrayList<>();
    List<Tier> tiers = new ArrayList<>();
    Records all = new Records();
    for (int r = 0; r < 4; r++) {
      Records run = Records.random(random, 40, PARTITIONS, longest);
      runs.add(run);
      all.addAll(run);
      tiers.add(r % 2 == 0 ? Tier.HOST : Tier.DISK);
    }
    owner.publish(ID, runs, tiers);
    return all;
  }

  private ServedBlock block(int start, int end) throws IOException {
    return block(start, end, UnaryOperator.identity(), Compressors.of(Codec.NONE, stats));
  }

  private ServedBlock block(
      int start, int end, UnaryOperator<OutputReader> data, TransferCompressor compressor)
      throws IOException {
    return block(
        Compressors.server(compressor, Optional.empty(), Compressors.PATIENT, data, stats),
        start,
        end,
        () -> owner.leases.acquire(ID.shuffleId()));
  }

  private ServedBlock block(BlockServer server, int start, int end, LeaseSupplier leases)
      throws IOException {
    return server.answer(
        new MapIdRange(ID.mapId(), ID.mapId()),
        AnswerLimit.MAX_BYTES,
        List.of(new MapOutputs(windows.heap(0)).find(0, ID).orElseThrow()),
        start,
        end,
        leases);
  }

  private static byte[] stream(ServedBlock block) throws IOException {
    try (InputStream in = block.createInputStream()) {
      return in.readAllBytes();
    }
  }

  private static byte[] inOddPieces(ServedBlock block, Random random) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (InputStream in = block.createInputStream()) {
      byte[] buffer = new byte[5_000];
      while (true) {
        if (random.nextInt(4) == 0) {
          int one = in.read();
          if (one < 0) {
            return all.toByteArray();
          }
          all.write(one);
        } else {
          int offset = random.nextInt(100);
          int got = in.read(buffer, offset, random.nextInt(buffer.length - offset));
          if (got < 0) {
            return all.toByteArray();
          }
          all.write(buffer, offset, got);
        }
      }
    }
  }
}
