// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.PinnedPool;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.kernel.CrcLaunch;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.read.InPlaceAccess;
import io.symshuffle.shuffle.read.Reading;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Threads that read tables for a task and may outlive it, such as the one that feeds the script of
 * {@code SELECT TRANSFORM}. Each thread has its own default stream.
 */
class TableThreadsTest extends TableRoundTrip {
  private static final long PER_THREAD = 2;
  private static final long LIMIT_SECONDS = 600;

  @Test
  void taskDoesNotEndWhileAnotherThreadAssembles() throws Exception {
    List<Written> written = write(0, 3, 1, 2, 4_000);
    Lease lease = owners[0].leases.acquire(9);
    TaskBatches[] assembler = new TaskBatches[1];
    InPlaceAccess[] access = new InPlaceAccess[1];
    FutureTask<Void> end =
        new FutureTask<>(
            () -> {
              access[0].end();
              if (assembler[0].settle()) {
                lease.close();
              }
              assembler[0].close();
              return null;
            });
    Thread task = Thread.ofPlatform().name("task").unstarted(end);
    access[0] = new InPlaceAccess(task);
    assembler[0] = new TaskBatches(access[0], () -> assembler(0, TYPES));
    TableBatch batch = batch(0, 0, 3, 0, PARTITIONS);
    FakeLibraries.script(folder.resolve("cuda-0"), "hold");
    FutureTask<ColumnarBatch> feed = start("feed", () -> assembler[0].assemble(batch));
    await().atMost(Duration.ofSeconds(LIMIT_SECONDS)).until(() -> engines[0].open() > 0);
    task.start();
    task.join(200);
    assertTrue(task.isAlive(), "the task ended before the tables were copied");
    owners[0].store.unregister(9);
    owners[0].store.reclaim();
    assertTrue(tiers[0].slabs().stats().usedBytes() > 0, "the tables are still being read");
    FakeLibraries.script(folder.resolve("cuda-0"));
    feed.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    end.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    owners[0].store.reclaim();
    assertEquals(0, tiers[0].slabs().stats().usedBytes());
    assertSame(written, engines[0]);
  }

  @Test
  void otherThreadsGetNoBatchAfterTheEndOfTheTask() throws Exception {
    write(0, 3, 1, 1, 4_000);
    TableBatch batch = batch(0, 0, 3, 0, PARTITIONS);
    InPlaceAccess access = new InPlaceAccess(Thread.currentThread());
    try (TaskBatches assembler = new TaskBatches(access, () -> assembler(0, TYPES))) {
      access.end();
      assertTrue(assembler.settle());
      FutureTask<ColumnarBatch> late = start("feed", () -> assembler.assemble(batch));
      assertFailsWith(IllegalStateException.class, late);
      assertEquals(0, engines[0].assembledData().size());
    }
  }

  @Test
  void memoryOfALaunchThatAnotherThreadQueuedIsNotReused() throws Exception {
    write(0, 3, 1, 1, 4_000);
    CudaStream stream = tiers[0].context().foreignStream(PER_THREAD);
    FakeLibraries.script(folder.resolve("cuda-0"), "hold");
    CrcLaunch queued = tiers[0].kernels().crc32c(List.of(tiers[0].window().slice(64 << 10, 1024)));
    FutureTask<Void> feed =
        start(
            "feed",
            () -> {
              queued.queue(stream);
              queued.queueResults(stream);
              return null;
            });
    feed.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    queued.close();
    // The fake driver notices if this launch writes its list to the same memory.
    try (CrcLaunch next =
        tiers[0].kernels().crc32c(List.of(tiers[0].window().slice(64 << 10, 2048)))) {
      next.queue(stream);
      FakeLibraries.script(folder.resolve("cuda-0"));
      stream.synchronize();
    }
    assertEquals(Optional.empty(), FakeLibraries.violation(folder.resolve("cuda-0")));
  }

  /**
   * The task ends when a thread has read data of a table, but has not moved it, or when it has read
   * the head of the next one.
   *
   * @param reads how many reads succeed before
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void lateThreadDoesNotWriteToMemoryOfAnotherTask(int reads) throws Exception {
    TableWriterAccess writer = writer(1, 3);
    writer.add(
        engines[1].batchOf(
            List.of(
                new FakeEngine.Table(0, randomBytes(4_000)),
                new FakeEngine.Table(1, randomBytes(4_000)))));
    writer.commit();
    byte[] frames = served(3);
    byte[] answer = Reading.answer(framesServed.get(3), frames);
    MemorySegment[] ofOther = new MemorySegment[1];
    InputStream wire =
        new FilterInputStream(new ByteArrayInputStream(answer)) {
          private int left = reads;

          @Override
          public int read(byte[] to, int offset, int length) throws IOException {
            int count = super.read(to, offset, length);
            if (pools[0].usedBytes() > 0 && left-- == 0) {
              memory.close();
              ofOther[0] = pools[0].take().orElseThrow().fill((byte) 0);
            }
            return count;
          }
        };
    TableTransfer late = transfer(3, wire, true);
    assertThrows(
        IllegalStateException.class,
        () -> {
          while (late.hasNext()) {
            late.next();
          }
        });
    MemorySegment zeros = MemorySegment.ofArray(new byte[PinnedPool.PAGE_BYTES]);
    assertEquals(-1, ofOther[0].mismatch(zeros), "seed " + seed);
    pools[0].give(ofOther[0]);
  }

  @Test
  void copiesBelongToOneThread() throws Exception {
    try (TableCopies copies = copies(0)) {
      assertFailsWith(
          IllegalStateException.class,
          start(
              "feed",
              () -> {
                copies.await();
                return null;
              }));
      assertFailsWith(IllegalStateException.class, start("feed", copies::settle));
    }
  }

  private static <T> FutureTask<T> start(String name, Callable<T> action) {
    FutureTask<T> started = new FutureTask<>(action);
    Thread.ofPlatform().name(name).daemon().start(started);
    return started;
  }

  private static void assertFailsWith(Class<? extends Throwable> type, FutureTask<?> task) {
    ExecutionException failure =
        assertThrows(ExecutionException.class, () -> task.get(LIMIT_SECONDS, TimeUnit.SECONDS));
    assertInstanceOf(type, failure.getCause());
  }
}
