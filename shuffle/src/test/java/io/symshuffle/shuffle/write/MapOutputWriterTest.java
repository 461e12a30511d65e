// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.process.ChildProcess;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.fixture.FatalErrors;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.MapOutputs;
import io.symshuffle.shuffle.output.Owner;
import io.symshuffle.shuffle.output.Records;
import io.symshuffle.shuffle.output.RunIndex;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.runtime.StagingPool;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.apache.spark.unsafe.Platform;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(SeededRandom.class)
class MapOutputWriterTest {
  private static final int STAGING = 64 << 10;
  private static final MapOutputId ID = new MapOutputId(8, 1);

  @TempDir Path disk;
  @AutoClose private final Windows windows = new Windows();
  private final StagingPool pool = new StagingPool(STAGING);
  private final ShuffleStats stats = new ShuffleStats();

  @ParameterizedTest
  @CsvSource({
    // records, partitions, longest record, arena
    "0, 10, 1, 4000000",
    "1, 1, 0, 4000000",
    "20000, 1, 40, 4000000",
    "20000, 7, 100, 4000000",
    "20000, 200, 0, 4000000",
    "30000, 20000, 60, 8000000",
    "300, 50, 20000, 8000000",
    // Records larger than staging, between small ones.
    "60, 5, 300000, 30000000",
    // The heap has space for several runs, for one, or not even for the index.
    "20000, 200, 100, 700000",
    "20000, 200, 100, 66000",
    "20000, 200, 100, 64",
    "30000, 20000, 60, 64",
    "60, 5, 300000, 1000000",
    "60, 5, 300000, 64"
  })
  void writesRecordsInOrder(int count, int partitions, int maxBytes, long arena, Random random)
      throws IOException {
    Owner owner = Owner.add(windows, arena / 64 * 64, disk);
    boolean checksum = random.nextBoolean();
    MapOutputWriter writer = writer(owner, partitions, checksum);
    Records expected = new Records();
    for (int i = 0; i < count; i++) {
      // Most are small, a few are long.
      byte[] record = new byte[(int) (maxBytes * Math.pow(random.nextDouble(), 3))];
      random.nextBytes(record);
      int partition = random.nextInt(partitions);
      append(writer, partition, record, random);
      expected.add(partition, record);
    }
    writer.commit();
    long[] bytes = writer.partitionBytes();
    assertEquals(
        LongStream.of(bytes).sum(),
        stats.sum(ShuffleCounter.HOST_BYTES_WRITTEN)
            + stats.sum(ShuffleCounter.DISK_BYTES_WRITTEN));
    Optional<MapOutput> output = new MapOutputs(windows.heap(0)).find(0, ID);
    assertEquals(count > 0, output.isPresent());
    assertEquals(count > 0 ? 1 : 0, stats.sum(ShuffleCounter.MAP_OUTPUTS_PUBLISHED));
    long[] found = new long[partitions];
    if (count > 0) {
      Records.read(output.get(), checksum).assertSameAs(expected);
      RunIndex index = output.get().rows().index();
      for (int run = 0; run < index.runs(); run++) {
        for (int block = 0; block < index.run(run).blocks(); block++) {
          found[index.run(run).partition(block)] += index.run(run).size(block);
        }
      }
      assertEquals(
          output.get().rows().index().runs(),
          stats.sum(ShuffleCounter.HOST_RUNS_WRITTEN)
              + stats.sum(ShuffleCounter.DISK_RUNS_WRITTEN));
      assertTrue(stats.sum(ShuffleCounter.DISK_RUNS_WRITTEN) == 0 || !owner.files().isEmpty());
    }
    assertArrayEquals(found, bytes);
    owner.store.unregister(ID.shuffleId());
    owner.store.reclaim();
    assertEquals(0, owner.used());
    assertEquals(List.of(), owner.files());
  }

  @ParameterizedTest
  @ValueSource(longs = {4_000_000, 100_032, 64})
  void abortReleasesEverything(long arena, Random random) throws IOException {
    Owner owner = Owner.add(windows, arena, disk);
    for (int round = 0; round < 20; round++) {
      MapOutputWriter writer = writer(owner, 30, true);
      for (int i = random.nextInt(4_000); i > 0; i--) {
        append(writer, random.nextInt(30), new byte[random.nextInt(150)], random);
      }
      writer.abort();
      writer.abort();
      assertEquals(0, owner.used());
      assertEquals(List.of(), owner.files());
    }
    assertEquals(Optional.empty(), new MapOutputs(windows.heap(0)).find(0, ID));
  }

  @Test
  void failsTaskAndFreesEverythingWhenDiskIsFull(Random random) throws IOException {
    Owner owner = Owner.add(windows, 100_032, disk.resolve("missing"));
    MapOutputWriter writer = writer(owner, 30, true);
    String message =
        assertThrows(
                IOException.class,
                () -> {
                  while (true) {
                    append(writer, random.nextInt(30), new byte[100], random);
                  }
                })
            .getMessage();
    assertTrue(message.startsWith("cannot write "), message);
    assertTrue(message.contains("spark.symshuffle.disk.dir"), message);
    writer.abort();
    assertEquals(0, owner.used());
    assertEquals(0, stats.sum(ShuffleCounter.MAP_OUTPUTS_PUBLISHED));
  }

  @Test
  void freesEverythingWhenDiskFailsAtCommit(Random random) throws IOException {
    Owner owner = Owner.add(windows, 64, disk.resolve("missing"));
    MapOutputWriter writer = writer(owner, 30, true);
    append(writer, 3, new byte[100], random);
    assertThrows(IOException.class, writer::commit);
    writer.abort();
    assertEquals(0, owner.used());
    assertEquals(Optional.empty(), new MapOutputs(windows.heap(0)).find(0, ID));
    assertEquals(0, stats.sum(ShuffleCounter.MAP_OUTPUTS_PUBLISHED));
  }

  @Test
  void returnsEachBufferOnce(Random random) throws IOException {
    Owner owner = Owner.add(windows, 4_000_000, disk);
    for (int map = 0; map < 3; map++) {
      MapOutputWriter writer =
          new MapOutputWriter(
              owner.store.buildRows(new MapOutputId(8, map), 4), pool, 4, true, noSizes(), stats);
      append(writer, 1, new byte[10], random);
      if (map % 2 == 0) {
        writer.commit();
      }
      writer.abort();
    }
    StagingPool.Buffers first = pool.acquire(4);
    StagingPool.Buffers second = pool.acquire(4);
    assertNotSame(first, second);
    assertTrue(first.staging().asOverlappingSlice(second.staging()).isEmpty());
  }

  @Test
  void failsTaskAndFreesEverythingWhenShuffleWasUnregistered(Random random) throws IOException {
    Owner owner = Owner.add(windows, 4_000_000, disk);
    MapOutputWriter writer = writer(owner, 4, true);
    append(writer, 1, new byte[100], random);
    owner.store.unregister(ID.shuffleId());
    assertThrows(IOException.class, writer::commit);
    writer.abort();
    assertEquals(0, stats.sum(ShuffleCounter.MAP_OUTPUTS_PUBLISHED));
    assertEquals(0, owner.used());
  }

  @Test
  void rejectsTooLongRecordBeforeReadingIt() {
    Owner owner = Owner.add(windows, 4_000_000, disk);
    MapOutputWriter writer = writer(owner, 4, true);
    assertEquals(
        "a record of 2147483647 bytes is too long to shuffle; the maximum is 2147483583 bytes",
        assertThrows(IOException.class, () -> writer.append(1, null, 0, Integer.MAX_VALUE))
            .getMessage());
    writer.abort();
  }

  private MapOutputWriter writer(Owner owner, int partitions, boolean checksum) {
    return new MapOutputWriter(
        owner.store.buildRows(ID, partitions), pool, partitions, checksum, noSizes(), stats);
  }

  private static SortShuffleSizes noSizes() {
    return new SortShuffleSizes(UnaryOperator.identity(), false);
  }

  private static void append(MapOutputWriter writer, int partition, byte[] record, Random random)
      throws IOException {
    if (random.nextBoolean()) {
      writer.append(partition, record, Platform.BYTE_ARRAY_OFFSET, record.length);
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(record.length + 1L);
      MemorySegment.copy(record, 0, memory, ValueLayout.JAVA_BYTE, 1, record.length);
      writer.append(partition, null, memory.address() + 1, record.length);
    }
  }

  /** A record and an index, each larger than the JVM's direct memory. */
  @Test
  void failsTaskWithRemedyWhenDirectMemoryIsShort() {
    assumeTrue(Runtime.version().feature() < 22, "only Java 21 counts all native memory");
    ChildProcess.Result result =
        ChildProcess.java(
                List.of("-Xmx256m", "-XX:MaxDirectMemorySize=2m"),
                SmallDirectMemory.class.getName(),
                List.of(disk.toString()))
            .run(Duration.ofMinutes(10));

    assertEquals(0, result.status(), result.output());
    assertTrue(result.output().contains("no direct memory for a record of "), result.output());
    assertTrue(result.output().contains("no direct memory for an index of "), result.output());
  }

  /** Writes until the JVM's direct memory is used up. */
  static final class SmallDirectMemory {
    private static final int PARTITIONS = 1 << 18;

    private SmallDirectMemory() {}

    public static void main(String[] arguments) throws IOException {
      Owner owner = Owner.add(new Windows(), 64, Path.of(arguments[0]));
      StagingPool pool = new StagingPool(STAGING);
      byte[] record = new byte[8 << 20];
      print(writer(owner, pool, 1), w -> w.append(3, record, Platform.BYTE_ARRAY_OFFSET, 8 << 20));
      print(
          writer(owner, pool, 2),
          w -> {
            for (int partition = 0; partition < PARTITIONS; partition++) {
              w.append(partition, record, Platform.BYTE_ARRAY_OFFSET, 8);
            }
            w.commit();
          });
    }

    private static MapOutputWriter writer(Owner owner, StagingPool pool, long mapId) {
      return new MapOutputWriter(
          owner.store.buildRows(new MapOutputId(8, mapId), PARTITIONS),
          pool,
          PARTITIONS,
          true,
          noSizes(),
          new ShuffleStats());
    }

    /** Uses a writer. */
    private interface Use {
      void of(MapOutputWriter writer) throws IOException;
    }

    private static void print(MapOutputWriter writer, Use use) throws IOException {
      try {
        use.of(writer);
      } catch (IllegalStateException e) {
        FatalErrors.assertNone(e);
        System.out.println(e.getMessage());
      }
      writer.abort();
    }
  }
}
