// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static io.symshuffle.shuffle.read.Reading.SHUFFLE;
import static io.symshuffle.shuffle.read.Reading.assertFetchFails;
import static io.symshuffle.shuffle.read.Reading.awaitCollected;
import static io.symshuffle.shuffle.read.Reading.source;
import static io.symshuffle.shuffle.read.Reading.task;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.fixture.InParallel;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutputs;
import io.symshuffle.shuffle.output.Owner;
import io.symshuffle.shuffle.output.Records;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import scala.Product2;

@ExtendWith(SeededRandom.class)
class RowIteratorTest {
  private static final int PARTITIONS = 12;

  @TempDir Path disk;
  @AutoClose private final Windows windows = new Windows();
  private final FakeMetrics metrics = new FakeMetrics();
  private final ShuffleStats stats = new ShuffleStats();
  private Owner owner;

  @BeforeEach
  void start() {
    owner = Owner.add(windows, 4 << 20, disk);
  }

  @Test
  void returnsWrittenRows(Random random) throws IOException {
    List<Records> runs = new ArrayList<>();
    List<List<UnsafeRow>> expected = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      expected.add(new ArrayList<>());
    }
    for (int run = 0; run < 3; run++) {
      Records records = new Records();
      for (int i = 0; i < 200; i++) {
        UnsafeRow row = row(random);
        int partition = random.nextInt(PARTITIONS);
        expected.get(partition).add(row);
        records.add(partition, row.getBytes());
      }
      runs.add(records);
    }
    owner.publish(new MapOutputId(SHUFFLE, 1), runs, List.of(Tier.HOST, Tier.DISK, Tier.HOST));
    for (int partition = 0; partition < PARTITIONS; partition++) {
      RowIterator rows = iterator(cursor(partition, partition + 1, true), 2);
      for (UnsafeRow row : expected.get(partition)) {
        assertTrue(rows.hasNext());
        assertTrue(rows.hasNext());
        Product2<Object, UnsafeRow> pair = rows.next();
        assertEquals(0, pair._1());
        assertEquals(row, pair._2());
        assertEquals(row.getLong(0), pair._2().getLong(0));
        assertArrayEquals(row.getBinary(1), pair._2().getBinary(1));
      }
      assertFalse(rows.hasNext());
      assertFalse(rows.hasNext());
      assertThrows(NoSuchElementException.class, rows::next);
    }
    assertEquals(600, metrics.records);
  }

  @Test
  void countsRowsWithoutColumns() {
    RowIterator rows =
        iterator(new FakeCursor("fake").add(3, group(0, 2, 8)).add(5, group(0, 1, 16)), 0);
    for (int row = 0; row < 3; row++) {
      assertTrue(rows.hasNext());
      assertEquals(0, rows.next()._2().getSizeInBytes());
    }
    // No group has a header of zeros.
    assertThrows(IllegalStateException.class, rows::next);
    assertEquals(2, metrics.records);
    rows.atTaskEnd().run();
    assertEquals(3, metrics.records);
  }

  @Test
  void reportsRowsReadWhenTaskEndsEarly(Random random) throws IOException {
    Records records = new Records();
    for (int i = 0; i < 10; i++) {
      records.add(4, row(random).getBytes());
    }
    owner.publish(new MapOutputId(SHUFFLE, 1), List.of(records), List.of(Tier.DISK));
    RowIterator rows = iterator(cursor(0, PARTITIONS, true), 2);
    for (int i = 0; i < 7; i++) {
      rows.next();
    }
    rows.atTaskEnd().run();
    assertEquals(7, metrics.records);
    rows.atTaskEnd().run();
    assertEquals(7, metrics.records);
  }

  @Test
  void whatRunsWhenTheTaskEndsKeepsNoBlock() {
    RowIterator rows = iterator(new FakeCursor("fake").add(3, group(0, 2, 8)), 0);
    assertEquals(0, rows.next()._2().getSizeInBytes());
    Runnable atTaskEnd = rows.atTaskEnd();
    WeakReference<RowIterator> kept = new WeakReference<>(rows);
    rows = null;
    awaitCollected(kept);
    atTaskEnd.run();
    assertEquals(1, metrics.records);
  }

  @Test
  void rejectsHeadersThatDoNotMatchBlock() {
    for (byte[] block :
        List.of(
            group(-1, 1, 16),
            group(Integer.MIN_VALUE, 1, 16),
            group(Integer.MAX_VALUE, Integer.MAX_VALUE, 16),
            group(9, 1, 16),
            group(8, 2, 16),
            group(8, 0, 16),
            group(8, -3, 16))) {
      RowIterator rows = iterator(new FakeCursor("fake").add(3, block), 1);
      String message = assertThrows(IllegalStateException.class, rows::next).getMessage();
      assertTrue(
          message.matches(
              "fake: -?\\d+ rows of -?\\d+ bytes in a block of partition 3 with 8 bytes left"),
          message);
    }
  }

  @Test
  void rejectsRowsThatAreTooShortForTheirColumns() {
    for (int length : new int[] {0, 8, 23, 25, 28, 31}) {
      RowIterator rows = iterator(new FakeCursor("fake").add(3, group(length, 1, 48)), 2);
      assertThrows(IllegalStateException.class, rows::next, () -> length + " bytes");
    }
    RowIterator rows = iterator(new FakeCursor("fake").add(3, group(24, 1, 32)), 2);
    assertEquals(24, rows.next()._2().getSizeInBytes());
  }

  @Test
  void failsFetchOnDamagedHeaderWithoutChecksums(Random random) throws IOException {
    Records records = new Records();
    records.add(4, row(random).getBytes());
    records.add(4, row(random).getBytes());
    owner.publish(new MapOutputId(SHUFFLE, 1), List.of(records), List.of(Tier.HOST));
    long place =
        new MapOutputs(windows.heap(0))
            .find(0, new MapOutputId(SHUFFLE, 1))
            .orElseThrow()
            .rows()
            .index()
            .run(0)
            .place();
    owner.window.set(ValueLayout.JAVA_INT, place, 1 << 20);
    RowIterator rows = iterator(cursor(0, PARTITIONS, false), 2);
    assertFetchFails(source(0, 1), rows::next);
  }

  @Test
  void copiesRowsForThreadThatOutlivesTask(Random random) throws Exception {
    List<UnsafeRow> expected = new ArrayList<>();
    List<Records> runs = new ArrayList<>();
    for (int run = 0; run < 3; run++) {
      Records records = new Records();
      for (int i = 0; i < 20; i++) {
        UnsafeRow row = row(random);
        expected.add(row);
        records.add(4, row.getBytes());
      }
      runs.add(records);
    }
    owner.publish(new MapOutputId(SHUFFLE, 1), runs, List.of(Tier.HOST, Tier.HOST, Tier.HOST));
    InPlaceAccess access = new InPlaceAccess(Thread.currentThread());
    RowIterator rows =
        new RowIterator(new InPlaceCursor(cursor(0, PARTITIONS, true), access), access, 2, metrics);
    List<UnsafeRow> found = new ArrayList<>();
    found.add(rows.next()._2().copy());

    InParallel.onAnotherThread(
        () -> {
          for (int i = 1; i < 25; i++) {
            found.add(rows.next()._2().copy());
          }
        });
    // The task ends, and its memory is reused.
    access.end();
    owner.window.asSlice(ControlDescriptor.BYTES).fill((byte) 0xEE);
    IllegalStateException refused =
        assertThrows(
            IllegalStateException.class,
            () ->
                InParallel.onAnotherThread(
                    () -> {
                      while (rows.hasNext()) {
                        found.add(rows.next()._2().copy());
                      }
                    }));

    assertEquals(expected.subList(0, 40), found);
    assertTrue(
        refused.getMessage().endsWith("cannot read shuffle data of a task that has ended"),
        refused.getMessage());
  }

  private RowIterator iterator(BlockCursor blocks, int fields) {
    return new RowIterator(blocks, new InPlaceAccess(Thread.currentThread()), fields, metrics);
  }

  private HostCursor cursor(int start, int end, boolean verify) {
    return new HostCursor(
        task(new MapOutputs(windows.heap(0)), start, end, verify, metrics, stats),
        List.of(new LocalSource(source(0, 1), 0)));
  }

  private static UnsafeRow row(Random random) {
    byte[] bytes = new byte[random.nextInt(50)];
    random.nextBytes(bytes);
    UnsafeRowWriter writer = new UnsafeRowWriter(2);
    writer.resetRowWriter();
    writer.write(0, random.nextLong());
    writer.write(1, bytes);
    return writer.getRow().copy();
  }

  /** A group's header followed by zeros. */
  private static byte[] group(int length, int count, int blockBytes) {
    return ByteBuffer.allocate(blockBytes)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(length)
        .putInt(count)
        .array();
  }
}
