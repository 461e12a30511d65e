// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.devicerows;

import static io.symshuffle.shuffle.read.Reading.SHUFFLE;
import static io.symshuffle.shuffle.read.Reading.drain;
import static io.symshuffle.shuffle.read.Reading.source;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.Slab;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.Records;
import io.symshuffle.shuffle.output.RowOutputBuilder;
import io.symshuffle.shuffle.read.LocalSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes records to GPU memory on one PE and reads them on another. */
class DeviceRowsTest extends DeviceRowsHarness {
  @ParameterizedTest
  @CsvSource({
    // records, partitions, longest record
    "0, 10, 8",
    "1, 1, 0",
    "5000, 1, 40",
    "5000, 7, 100",
    // The limit on records is reached before the buffer is full.
    "5000, 40, 0",
    "3000, 3000, 200",
    "400, 40, 4000",
    // Longer than a buffer, between others.
    "60, 5, 60000"
  })
  void readsRecordsOfAnotherPe(int count, int partitions, int maxBytes, Random random)
      throws IOException {
    Records expected = new Records();
    RowWriterAccess writer = writer(1, 1, partitions);
    for (int i = 0; i < count; i++) {
      // Most are small, a few are long.
      byte[] record = new byte[(int) (maxBytes * Math.pow(random.nextDouble(), 3))];
      random.nextBytes(record);
      int partition = random.nextInt(partitions);
      writer.append(partition, record);
      expected.add(partition, record);
    }
    long[] bytes = writer.commit();
    long sum = 0;
    for (int partition = 0; partition < partitions; partition++) {
      assertEquals(expected.bytes(partition), bytes[partition]);
      sum += bytes[partition];
    }
    assertEquals(sum, stats.deviceBytesWritten() + stats.hostBytesWritten());
    assertEquals(0, stats.diskBytesWritten());
    Optional<MapOutput> output = find(1, 1);
    assertEquals(count > 0, output.isPresent());
    if (count > 0) {
      Records.read(output.get(), true, run -> copyOut(1, run)).assertSameAs(expected);
      Records got = read(0, 0, partitions, 1, 1);
      assertSameContent(expected, got);
      assertEquals(sum - stats.hostBytesRead(), stats.pulledByPe().getOrDefault(1, 0L));
      assertSameContent(expected, read(1, 0, partitions, 1, 1));
      assertEquals(stats.pulledBytes(), stats.deviceBytesRead());
    }
    assertEquals(0, rows[1].buffersInUse());
    owners[1].store.unregister(SHUFFLE);
    owners[1].store.reclaim();
    assertEquals(0, owners[1].used());
    assertEquals(0, tiers[1].slabs().stats().usedBytes());
  }

  @Test
  void pullsOnlyRequestedPartitions(Random random) throws IOException {
    Records expected = write(1, 1, 2_000, 300, random);
    Records got = read(0, 7, 9, 1, 1);
    assertSameContent(expected.range(7, 9), got);
    assertEquals(expected.bytes(7) + expected.bytes(8), stats.pulledBytes());
  }

  @Test
  void preservesOrderOfRecordsInAllTiers(Random random) throws IOException {
    List<Slab> taken = fillAlmost(1);
    Records expected = new Records();
    RowWriterAccess writer = writer(1, 1, PARTITIONS);
    for (int i = 0; i < 40_000; i++) {
      byte[] record = new byte[random.nextInt(150)];
      random.nextBytes(record);
      int partition = random.nextInt(PARTITIONS);
      writer.append(partition, record);
      expected.add(partition, record);
    }
    writer.commit();
    assertEquals(Set.of(Tier.DEVICE, Tier.HOST, Tier.DISK), tiersOf(1, 1));
    Records.read(find(1, 1).orElseThrow(), true, run -> copyOut(1, run)).assertSameAs(expected);
    assertSameContent(expected, read(0, 0, PARTITIONS, 1, 1));
    taken.forEach(slab -> tiers[1].slabs().free(slab));
  }

  @Test
  void writesToHostHeapWhenDeviceHeapIsFull(Random random) throws IOException {
    takeAll(1);
    Records expected = write(1, 1, 3_000, 100, random);
    assertEquals(Set.of(Tier.HOST), tiersOf(1, 1));
    assertSameContent(expected, read(0, 0, PARTITIONS, 1, 1));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void abortReleasesEverything(boolean space, Random random) throws IOException {
    long used = 0;
    if (!space) {
      fillAlmost(1);
      used = tiers[1].slabs().stats().usedBytes();
    }
    for (int round = 0; round < 15; round++) {
      RowWriterAccess writer = writer(1, 1, PARTITIONS);
      for (int i = random.nextInt(3_000); i > 0; i--) {
        writer.append(random.nextInt(PARTITIONS), new byte[random.nextInt(150)]);
      }
      writer.abort();
      writer.abort();
      assertThrows(IllegalStateException.class, () -> writer.append(0, new byte[1]));
      assertEquals(0, owners[1].used());
      assertEquals(used, tiers[1].slabs().stats().usedBytes());
      assertEquals(0, rows[1].buffersInUse());
      assertEquals(List.of(), owners[1].files());
    }
    assertEquals(Optional.empty(), find(1, 1));
  }

  @Test
  void readsRecordsOfSeveralPes(Random random) throws IOException {
    Records expected = new Records();
    List<LocalSource> sources = new ArrayList<>();
    for (int map = 0; map < 6; map++) {
      int pe = map % 2;
      Records written = write(pe, map, 1 + random.nextInt(2_000), 120, random);
      expected.addAll(written);
      sources.add(new LocalSource(source(pe, map), pe));
    }
    assertSameContent(expected, read(0, 0, PARTITIONS, sources));
    assertTrue(stats.pulledBytes() > 0 && stats.deviceBytesRead() > 0, stats::summary);
  }

  @Test
  void keepsBlockUntilCallerReadsLaterRecord(Random random) throws IOException {
    write(1, 1, 8_000, 100, random);
    DeviceCursor cursor = cursor(0, List.of(local(1, 1)));
    byte[] before = new byte[0];
    long at = 0;
    while (cursor.advance()) {
      assertArrayEquals(before, copy(at, before.length), "the previous block has changed");
      at = cursor.position();
      before = copy(at, (int) (cursor.limit() - cursor.position()));
    }
    assertArrayEquals(before, copy(at, before.length), "the last block has changed");
    assertTrue(stats.pulledBytes() > 8 * BUFFER_BYTES, "too little data to reuse a buffer");
    cursor.close();
    cursor.close();
    assertEquals(0, rows[0].buffersInUse());
  }

  @Test
  void limitsBytesInFlight(Random random) throws IOException {
    write(1, 1, 8_000, 100, random);
    for (int buffers : new int[] {2, 3, 4}) {
      DeviceCursor cursor =
          plan(0, 0, PARTITIONS, List.of(local(1, 1))).start((long) buffers * BUFFER_BYTES);
      int most = 0;
      while (cursor.advance()) {
        most = Math.max(most, rows[0].buffersInUse());
      }
      assertEquals(buffers, most);
      assertEquals(
          1,
          rows[0].buffersInUse(),
          "all buffers but the last are returned at the end of the data");
      cursor.close();
      assertEquals(0, rows[0].buffersInUse());
    }
  }

  @Test
  void limitsPiecesPerFetch(Random random) throws IOException {
    write(1, 1, 1, 100, random);
    DeviceBlocks one = plan(0, 0, PARTITIONS, List.of(local(1, 1))).reads().device().getFirst();
    int pieces = 2 * DeviceFetch.Cutter.MAX_PARTS + 5;
    DeviceFetch.Cutter cutter =
        new DeviceFetch.Cutter(Collections.nCopies(pieces, one).iterator(), 1 << 30);
    List<Integer> parts = new ArrayList<>();
    while (cutter.hasNext()) {
      parts.add(cutter.next().parts().size());
    }
    assertEquals(List.of(DeviceFetch.Cutter.MAX_PARTS, DeviceFetch.Cutter.MAX_PARTS, 5), parts);
  }

  @Test
  void returnsBuffersWhenTaskEndsEarly(Random random) throws IOException {
    write(1, 1, 8_000, 100, random);
    for (int blocks : new int[] {0, 1, 41, 100}) {
      DeviceCursor cursor = cursor(0, List.of(local(1, 1)));
      for (int b = 0; b < blocks; b++) {
        assertTrue(cursor.advance());
      }
      assertTrue(rows[0].buffersInUse() > 0);
      cursor.close();
      assertEquals(0, rows[0].buffersInUse());
    }
  }

  @Test
  void readsWithoutChecksums(Random random) throws IOException {
    RowOutputBuilder sink = owners[1].store.buildRows(id(1), PARTITIONS);
    RowWriterAccess writer =
        RowWriterAccess.open(rows[1], sink, PARTITIONS, false, stats).orElseThrow();
    writer.append(3, new byte[] {1, 2, 3});
    writer.commit();
    Records.read(find(1, 1).orElseThrow(), false, run -> copyOut(1, run));
    Plan plan =
        plan(0, Optional.of(rows[0]), 0, PARTITIONS, List.of(local(1, 1)), false, new Metrics());
    DeviceCursor cursor = plan.reads().deviceCursor(0);
    assertEquals(1, drain(cursor).size());
    cursor.close();
  }
}
