// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.DeviceBuffer;
import io.symshuffle.cuda.PinnedPool;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.shuffle.fixture.SeededRandom;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies between GPU memory and host memory that is not pinned. */
@ExtendWith(SeededRandom.class)
class TableCopiesTest {
  private static final long PAGE = PinnedPool.PAGE_BYTES;
  private static final Duration LIMIT = Duration.ofMinutes(10);

  @TempDir private Path folder;
  private CudaContext context;
  private FakeEngine engine;

  @BeforeEach
  void open() {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    Path library = FakeLibraries.cuda(folder);
    context = CudaDriver.open(List.of(library.toString())).device(0).openPrimaryContext();
    engine = new FakeEngine(context);
  }

  @AfterEach
  void close() {
    if (context != null) {
      FakeLibraries.script(folder);
      assertEquals(Optional.empty(), FakeLibraries.violation(folder));
      context.close();
    }
  }

  /** Less, as much and more than a task's pinned memory, and pools with less than that. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, PinnedSteps.MAX_PAGES, 20})
  void bytesAreTheSameWithAnyAmountOfPinnedMemory(int pages, Random random) throws Exception {
    PinnedPool pool = new PinnedPool(context, pages * PAGE);
    long[] sizes = {1, 100, PAGE - 101, PAGE + 7, 4 * PAGE, 6 * PAGE + random.nextInt(100_000), 3};
    try (Arena arena = Arena.ofConfined();
        TableCopies copies = new TableCopies(engine, Optional.empty(), Optional.of(pool));
        DeviceBuffer gpu = context.allocate(sizes[5])) {
      MemorySegment[] from = new MemorySegment[sizes.length];
      MemorySegment[] back = new MemorySegment[sizes.length];
      for (int i = 0; i < sizes.length; i++) {
        byte[] bytes = new byte[(int) sizes[i]];
        random.nextBytes(bytes);
        from[i] = arena.allocate(sizes[i]).copyFrom(MemorySegment.ofArray(bytes));
        MemorySegment source = arena.allocate(sizes[i]).copyFrom(from[i]);
        back[i] = arena.allocate(sizes[i]);
        copies.toDevice(gpu.range().slice(0, sizes[i]), source);
        source.fill((byte) 0); // it has been read
        copies.toHost(back[i], gpu.range().slice(0, sizes[i]));
      }
      copies.await();
      for (int i = 0; i < sizes.length; i++) {
        assertEquals(-1, from[i].mismatch(back[i]), sizes[i] + " bytes");
      }
      assertEquals(0, pool.usedBytes());
    }
    pool.close();
  }

  @Test
  void copiesGoOnWhenOtherTasksHaveThePinnedMemory() throws Exception {
    PinnedPool pool = new PinnedPool(context, PAGE);
    MemorySegment page = pool.take().orElseThrow();
    try (Arena arena = Arena.ofConfined();
        TableCopies copies = new TableCopies(engine, Optional.empty(), Optional.of(pool));
        DeviceBuffer gpu = context.allocate(3 * PAGE)) {
      MemorySegment from = arena.allocate(3 * PAGE);
      from.fill((byte) 7);
      MemorySegment back = arena.allocate(3 * PAGE);
      copies.toDevice(gpu.range(), from);
      pool.give(page);
      copies.toHost(back, gpu.range());
      copies.await();
      assertEquals(-1, from.mismatch(back));
      assertEquals(0, pool.usedBytes());
    }
    pool.close();
  }

  @Test
  void pinnedMemoryReturnsOnlyWhenTheGpuIsDone() throws Exception {
    PinnedPool pool = new PinnedPool(context, 2 * PAGE);
    try (Arena arena = Arena.ofConfined();
        DeviceBuffer gpu = context.allocate(PAGE)) {
      MemorySegment from = arena.allocate(PAGE);
      FakeLibraries.script(folder, "hold");
      TableCopies late =
          new TableCopies(engine, Optional.empty(), Optional.of(pool), Duration.ofMillis(50));
      late.toDevice(gpu.range(), from);
      assertThrows(IOException.class, late::await);
      assertEquals(PAGE, pool.usedBytes());
      FakeLibraries.script(folder);
      engine.stream().synchronize(LIMIT);
      late.await();
      assertEquals(0, pool.usedBytes());
      late.close();
    }
    pool.close();
  }
}
