// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.migrate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.compress.BlockDecompressor;
import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.compress.PacketInputStream;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.MapOutputs;
import io.symshuffle.shuffle.output.Owner;
import io.symshuffle.shuffle.output.Records;
import io.symshuffle.shuffle.output.RunReader;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.output.TableOutput;
import io.symshuffle.shuffle.output.TableOutputBuilder;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.serve.Compressors;
import io.symshuffle.shuffle.serve.ServedBlock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(SeededRandom.class)
class ReceivedFramesTest {
  private static final int PARTITIONS = 30;
  private static final MapOutputId ID = new MapOutputId(9, 4);

  @TempDir private Path folder;
  @AutoClose private final Windows windows = new Windows();
  private final ShuffleStats stats = new ShuffleStats();
  private Owner sender;

  @BeforeEach
  void start() throws IOException {
    sender = Owner.add(windows, 64 << 20, Files.createDirectory(folder.resolve("sender")));
  }

  @ParameterizedTest
  @EnumSource(Codec.class)
  void storesRunsOfAllTiersInTheHeap(Codec codec, Random random) throws IOException {
    Records expected = publishRuns(random);
    Owner receiver = receiver(64 << 20);
    receive(receiver, sent(codec));
    Records.read(found(1), true).assertSameAs(expected);
    assertEquals(List.of(), receiver.files());
    assertEquals(List.of(ID), receiver.store.committed());
  }

  @Test
  void storesRunsOnDiskIfTheHeapIsFull(Random random) throws IOException {
    Records expected = publishRuns(random);
    Owner receiver = receiver(64 << 10);
    receive(receiver, sent(Codec.NONE));
    Records.read(found(1), true).assertSameAs(expected);
    assertEquals(1, receiver.files().size());
  }

  @ParameterizedTest
  @EnumSource(
      value = Tier.class,
      names = {"HOST", "DISK"})
  void storesTables(Tier tier, Random random) throws IOException {
    TableOutputBuilder output = sender.store.buildTables(ID, PARTITIONS);
    byte[][] tables = new byte[5][];
    for (int i = 0; i < tables.length; i++) {
      tables[i] = new byte[i == 2 ? 0 : 256 * (100 + random.nextInt(20_000))];
      random.nextBytes(tables[i]);
      MemorySegment data = MemorySegment.ofArray(tables[i]);
      long place = 0;
      if (tables[i].length > 0) {
        MemorySegment memory = output.allocateHost(tables[i].length).orElseThrow();
        memory.copyFrom(data);
        place = output.hostOffset(memory);
      }
      int crc = tables[i].length == 0 ? 0 : Crc32c.of(data, 0, tables[i].length);
      // Packed tables move as they are stored; that they can be decoded is the reader's business.
      output.add(
          i == 1
              ? new TableEntry(
                  3, Tier.HOST, place, 2L * tables[1].length, tables[1].length, 8, 5, crc)
              : new TableEntry(3 * i, Tier.HOST, place, tables[i].length, 7 + i, crc));
    }
    output.commit();
    Owner receiver = receiver(tier == Tier.HOST ? 64 << 20 : 8 << 10);
    receive(receiver, sent(Codec.NONE));
    TableOutput found = found(1).tables();
    assertEquals(tables.length, found.index().tables());
    assertEquals(PARTITIONS, found.partitions());
    for (int i = 0; i < tables.length; i++) {
      TableEntry entry = found.index().table(i);
      assertEquals(3 * i, entry.partition());
      assertEquals(7 + i, entry.rows());
      assertEquals(tables[i].length == 0 ? Tier.HOST : tier, entry.tier());
      assertEquals(i == 1, entry.isPacked());
      assertEquals(i == 1 ? 2L * tables[1].length : tables[i].length, entry.bytes());
      assertEquals(tables[i].length, entry.storedBytes());
      assertEquals(ByteBuffer.wrap(tables[i]), data(found, entry));
    }
  }

  private static ByteBuffer data(TableOutput output, TableEntry entry) throws IOException {
    if (entry.bytes() == 0) {
      return ByteBuffer.allocate(0);
    }
    if (entry.tier() == Tier.HOST) {
      return output.hostMemory(entry.place(), entry.storedBytes()).asByteBuffer();
    }
    ByteBuffer bytes = ByteBuffer.allocate((int) entry.storedBytes());
    try (RunReader reader = RunReader.open(output)) {
      reader.read(entry.place(), bytes);
    }
    return bytes.flip();
  }

  @Test
  void listsMapOutputWithoutData() throws IOException {
    assertFalse(sender.store.buildRows(ID, PARTITIONS).commit());
    assertTrue(sender.store.isEmpty(ID));
    Owner receiver = receiver(64 << 20);
    receive(receiver, new byte[0]);
    assertEquals(List.of(ID), receiver.store.committed());
    receiver.store.unregister(ID.shuffleId());
    assertEquals(List.of(), receiver.store.committed());
    assertFalse(receiver.store.isEmpty(ID));
  }

  @Test
  void refusesDamagedBytesAndKeepsNothing(Random random) throws IOException {
    publishRuns(random);
    byte[] bytes = sent(Codec.NONE);
    Owner receiver = receiver(64 << 20);
    for (int round = 0; round < 50; round++) {
      byte[] damaged = bytes.clone();
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      assertThrows(IOException.class, () -> receive(receiver, damaged));
      byte[] shorter = Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length - 1));
      assertThrows(IOException.class, () -> receive(receiver, shorter));
    }
    assertEquals(List.of(), receiver.store.committed());
    assertEquals(0, receiver.used());
  }

  private Records publishRuns(Random random) throws IOException {
    Records all = new Records();
    Records first = Records.random(random, 200, PARTITIONS, 9_000);
    Records second = Records.random(random, 100, PARTITIONS, 90);
    // Larger than the runs of the receiver.
    second.add(11, new byte[5_000_000]);
    all.addAll(first);
    all.addAll(second);
    sender.publish(ID, List.of(first, second), List.of(Tier.HOST, Tier.DISK));
    return all;
  }

  private Owner receiver(long arenaBytes) throws IOException {
    return Owner.add(windows, arenaBytes, Files.createDirectory(folder.resolve("receiver")));
  }

  private byte[] sent(Codec codec) throws IOException {
    ServedBlock block =
        Compressors.server(Compressors.of(codec, stats), stats)
            .serveWhole(found(0), () -> sender.leases.acquire(ID.shuffleId()));
    try (InputStream in = block.createInputStream()) {
      return in.readAllBytes();
    } finally {
      block.release();
    }
  }

  private void receive(Owner receiver, byte[] bytes) throws IOException {
    try (BlockDecompressor decompressor = new BlockDecompressor();
        InputStream in = new PacketInputStream(new ByteArrayInputStream(bytes), decompressor)) {
      new ReceivedFrames(in, ID, PARTITIONS, receiver.store, true, stats).store();
    }
  }

  private MapOutput found(int pe) throws IOException {
    return new MapOutputs(windows.heap(0)).find(pe, ID).orElseThrow();
  }
}
