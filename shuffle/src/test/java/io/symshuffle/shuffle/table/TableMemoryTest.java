// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.CudaEvent;
import io.symshuffle.cuda.PinnedPool;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.TableEntry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.spark.shuffle.FetchFailedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How long memory with packed tables stays, and how much is read at a time. */
class TableMemoryTest extends TableRoundTrip {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Test
  void abortReleasesEverything() throws IOException {
    long device = tiers[1].slabs().stats().usedBytes();
    long host = owners[1].used();
    TableWriterAccess writer = writer(1, 6);
    fill(writer, 1, 6, 1, 4, 50_000);
    writer.abort();
    writer.abort();
    assertEquals(device, tiers[1].slabs().stats().usedBytes());
    assertEquals(host, owners[1].used());
    assertEquals(0, engines[1].open());
    assertEquals(Optional.empty(), find(0, 1, 6));
  }

  /** A map output of PE 1, with tables, whose copies time out, since the GPU is held back. */
  private TableWriterAccess lateWriter() throws IOException {
    TableWriterAccess late =
        new TableWriterAccess(
            owners[1].store.buildTables(new MapOutputId(9, 1), PARTITIONS),
            ImpatientCopies.create(engines[1], tiers[1].kernels(), pools[1], IMPATIENT),
            Optional.of(tiers[1]),
            PARTITIONS,
            true,
            stats);
    fill(late, 1, 1, 1, 1, 20_000);
    FakeLibraries.script(folder.resolve("cuda-1"), "hold");
    return late;
  }

  private void keepsPinnedMemoryThatTheGpuMayStillUse(int pe) {
    assertTrue(pools[pe].usedBytes() > 0, "pinned memory is given back too early");
    pools[pe] = new PinnedPool(tiers[pe].context(), PINNED_BYTES);
  }

  /** Leaves no room on PE 1 in the tiers before the HOST or the DISK tier. */
  private void sendTablesTo(Tier tier) {
    takeAll(tiers[1].slabs());
    if (tier == Tier.DISK) {
      takeAll(owners[1].slabs);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Tier.class,
      names = {"HOST", "DISK"})
  void failsTaskWhenTheGpuDoesNotFinishBeforeCopiesToOtherTiers(Tier tier) throws IOException {
    sendTablesTo(tier);
    TableWriterAccess late = lateWriter();
    try (CudaEvent event = tiers[1].context().newUntimedEvent()) {
      // Work of the engine itself, which comes before the copies.
      engines[1].stream().record(event);
      IOException timeout =
          assertTimeout(LIMIT, () -> assertThrows(IOException.class, late::commit));
      assertTrue(timeout.getMessage().contains("took longer than 0.05 s"), timeout.getMessage());
      late.abort();
      FakeLibraries.script(folder.resolve("cuda-1"));
      engines[1].stream().synchronize();
    }
    assertEquals(0, engines[1].open(), "tables still open");
    keepsPinnedMemoryThatTheGpuMayStillUse(1);
  }

  @ParameterizedTest
  @EnumSource(
      value = Tier.class,
      names = {"HOST", "DISK"})
  void failsTaskWhenTheGpuDoesNotFinishBeforeCopiesFromOtherTiers(Tier tier) throws Exception {
    sendTablesTo(tier);
    List<Written> written = write(1, 3, 1, 2, 4_000);
    TableBatch batch = batch(0, 1, 3, 0, PARTITIONS);
    assertTrue(batch.sources().stream().allMatch(each -> each.table().tier() == tier));
    TableCopies copies =
        ImpatientCopies.create(engines[0], tiers[0].kernels(), pools[0], IMPATIENT);
    try (TableAssembler late = assembler(0, TYPES, copies, true);
        CudaEvent event = tiers[0].context().newUntimedEvent()) {
      FakeLibraries.script(folder.resolve("cuda-0"), "hold");
      // Work of the engine itself, which comes before the copies.
      engines[0].stream().record(event);
      FetchFailedException timeout =
          assertTimeout(
              LIMIT, () -> assertThrows(FetchFailedException.class, () -> late.assemble(batch)));
      assertTrue(timeout.getMessage().contains("took longer than 0.05 s"), timeout.getMessage());
      FakeLibraries.script(folder.resolve("cuda-0"));
      engines[0].stream().synchronize();
      assembleInTime(late, batch);
    }
    assertSame(written, engines[0]);
  }

  /** Assembles a batch; copies that time out only because the machine is busy are repeated. */
  private static void assembleInTime(TableAssembler assembler, TableBatch batch) throws Exception {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      try {
        assembler.assemble(batch);
        return;
      } catch (Exception e) { // Java does not know that Scala throws a FetchFailedException
        if (!(e instanceof FetchFailedException) || System.nanoTime() > deadline) {
          throw e;
        }
      }
    }
  }

  @Test
  void doesNotReuseSlabThatTimedOutCopyMayStillWrite() throws Exception {
    // Another task has another thread and thus another stream, so the late copy runs after its map
    // output is written.
    Runnable late =
        () -> {
          try {
            TableWriterAccess writer = lateWriter();
            IOException timeout = assertThrows(IOException.class, writer::commit);
            assertTrue(timeout.getMessage().contains("took longer than 0.05 s"), timeout::toString);
            writer.abort();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };
    try (ExecutorService task = Executors.newSingleThreadExecutor()) {
      task.submit(late).get();
      FakeLibraries.script(folder.resolve("cuda-1"));
      assertEquals(0, engines[1].open(), "tables still open");
      List<Written> written = write(1, 2, 1, 1, 20_000);
      task.submit(() -> engines[1].stream().synchronize()).get();
      assemble(0, batch(0, 1, 2, 0, PARTITIONS));
      assertSame(written, engines[0]);
    }
    keepsPinnedMemoryThatTheGpuMayStillUse(1);
  }

  @Test
  void freesSlabWhenLateCopyCompletesBeforeAbort() throws IOException {
    TableWriterAccess late = lateWriter();
    assertThrows(IOException.class, late::commit);
    FakeLibraries.script(folder.resolve("cuda-1"));
    engines[1].stream().synchronize();
    late.abort();
    assertEquals(0, tiers[1].slabs().stats().usedBytes());
  }

  @Test
  void keepsTablesInPlaceUntilTheyWereConcatenated() throws Exception {
    List<Written> written = write(0, 3, 1, 2, 4_000);
    Lease lease = owners[0].leases.acquire(9);
    TableBatch batch = batch(0, 0, 3, 0, PARTITIONS);
    CountDownLatch assembled = new CountDownLatch(1);
    engines[0].beforeUnpack(() -> FakeLibraries.script(folder.resolve("cuda-0"), "hold"));
    Thread end =
        Thread.ofPlatform()
            .start(
                () -> {
                  try (TableAssembler assembler = assembler(0, TYPES)) {
                    assembler.assemble(batch);
                    assembled.countDown();
                    if (assembler.settle()) {
                      lease.close();
                    }
                  }
                });
    assertTrue(assembled.await(LIMIT.toSeconds(), TimeUnit.SECONDS));
    end.join(200);
    assertTrue(end.isAlive(), "the task ended before the tables were concatenated");
    owners[0].store.unregister(9);
    owners[0].store.reclaim();
    assertTrue(tiers[0].slabs().stats().usedBytes() > 0, "the tables are still being read");
    FakeLibraries.script(folder.resolve("cuda-0"));
    end.join();
    owners[0].store.reclaim();
    assertEquals(0, tiers[0].slabs().stats().usedBytes());
    assertSame(written, engines[0]);
  }

  @Test
  void reportsTablesInPlaceThatAreStillReadAfterTheLimit() throws IOException {
    write(0, 3, 1, 2, 4_000);
    TableCopies copies =
        ImpatientCopies.create(
            engines[0], tiers[0].kernels(), pools[0], Duration.ofSeconds(2)); // to assemble
    TableAssembler assembler = assembler(0, TYPES, copies, true);
    engines[0].beforeUnpack(() -> FakeLibraries.script(folder.resolve("cuda-0"), "hold"));
    assembler.assemble(batch(0, 0, 3, 0, PARTITIONS));
    assertFalse(assembler.settle());
    FakeLibraries.script(folder.resolve("cuda-0"));
    engines[0].stream().synchronize();
    assertTrue(assembler.settle());
    assembler.close();
  }

  @Test
  void doesNotWaitForConcatenationOfPulledTables() throws IOException {
    write(1, 3, 1, 2, 4_000);
    TableAssembler assembler = assembler(0, TYPES);
    engines[0].beforeUnpack(() -> FakeLibraries.script(folder.resolve("cuda-0"), "hold"));
    assembler.assemble(batch(0, 1, 3, 0, PARTITIONS));
    assertTrue(assembler.settle());
    FakeLibraries.script(folder.resolve("cuda-0"));
    assembler.close();
  }

  @Test
  void failsWhenTheEngineSwitchesStreams() throws IOException {
    write(1, 3, 1, 2, 4_000);
    TableAssembler assembler = assembler(0, TYPES);
    engines[0].switchStream();
    TableBatch batch = batch(0, 1, 3, 0, PARTITIONS);
    assertThrows(IllegalStateException.class, () -> assembler.assemble(batch));
    assembler.close();
  }

  @Test
  void limitsBatchesByBytesAndRows() {
    List<PackedTableRef> sources = new ArrayList<>();
    long[][] tables = {{10, 400}, {10, 500}, {10, 200}, {5, 5000}, {Integer.MAX_VALUE, 1}, {1, 1}};
    for (long[] table : tables) {
      sources.add(
          PackedTableRef.fetched(
              source(1),
              new TableEntry(0, Tier.HOST, 0, table[1], table[0], MemorySegment.NULL, 0),
              new FetchedTable(memory.allocate(0), memory.allocate(0), 0, true)));
    }
    TableBatch.Cutter cutter = new TableBatch.Cutter(sources.iterator(), 1000, () -> false);
    List<Integer> sizes = new ArrayList<>();
    while (cutter.hasNext()) {
      sizes.add(cutter.next().sources().size());
    }
    assertEquals(List.of(2, 1, 1, 1, 1), sizes);
  }
}
