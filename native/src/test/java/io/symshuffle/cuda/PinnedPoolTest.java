// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.PinnedArena.Memory;
import io.symshuffle.fake.FakeLibraries;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PinnedPoolTest {
  private static final int PAGE = PinnedPool.PAGE_BYTES;
  private static final Duration LONG = Duration.ofMinutes(10);

  @TempDir private Path folder;
  private CudaContext context;
  private PinnedPool pool;

  @BeforeEach
  void open() {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    Path library = FakeLibraries.cuda(folder);
    context = CudaDriver.open(List.of(library.toString())).device(0).openPrimaryContext();
    pool = new PinnedPool(context, 3L * PAGE + 1);
  }

  @AfterEach
  void close() {
    if (context != null) {
      FakeLibraries.script(folder);
      pool.close();
      context.close();
    }
  }

  @Test
  void hasAsManyPagesAsItsLimit() {
    List<MemorySegment> pages = new ArrayList<>();
    for (Optional<MemorySegment> page = pool.take(); page.isPresent(); page = pool.take()) {
      pages.add(page.get());
      assertEquals((long) pages.size() * PAGE, pool.usedBytes());
    }
    assertEquals(3, pages.size());
    pages.forEach(pool::give);
    assertEquals(0, pool.usedBytes());
    assertTrue(pool.take().isPresent());
  }

  @Test
  void countsMemoryOfProcessUntilItIsFreed() {
    long before = PinnedPool.processBytes();
    MemorySegment page = pool.take().orElseThrow();
    assertEquals(before + 3L * PAGE, PinnedPool.processBytes());
    pool.give(page);
    assertEquals(before + 3L * PAGE, PinnedPool.processBytes(), "a free page is kept");
    pool.close();
    pool.close();
    assertEquals(before, PinnedPool.processBytes());
  }

  /** The GPU may still use a page that was never given back. */
  @Test
  void countsTakenPagesAsMemoryOfTheProcessAlsoAfterItsEnd() {
    long before = PinnedPool.processBytes();
    MemorySegment page = pool.take().orElseThrow();
    pool.close();
    assertEquals(PAGE, pool.usedBytes());
    assertEquals(before + 3L * PAGE, PinnedPool.processBytes());
    pool.give(page);
    pool.close();
    assertEquals(before, PinnedPool.processBytes());
  }

  @Test
  void waitsForPageThatAnotherThreadReturns() throws Exception {
    MemorySegment first = pool.take().orElseThrow();
    assertTrue(pool.take().isPresent());
    assertTrue(pool.take().isPresent());
    assertTrue(pool.take(Duration.ofMillis(20)).isEmpty());
    Thread other =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    Thread.sleep(50);
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                  pool.give(first);
                });
    assertEquals(first.address(), pool.take(LONG).orElseThrow().address());
    other.join();
  }

  @Test
  void hasNoPagesIfTheSystemRefusesPinnedMemory() throws Exception {
    FakeLibraries.script(folder, "alloc_most=1000");
    assertTrue(pool.take().isEmpty());
    assertTrue(pool.take(LONG).isEmpty(), "waits for pages that will never exist");
  }

  @Test
  void allocationsShareAPageUntilTheLastIsClosed() {
    PinnedArena arena = new PinnedArena(pool);
    Memory one = arena.allocate(100).orElseThrow();
    Memory two = arena.allocate(100).orElseThrow();
    assertEquals(PAGE, pool.usedBytes());
    assertEquals(one.pieces().getFirst().address() + 128, two.pieces().getFirst().address());
    arena.close();
    one.close();
    one.close();
    assertEquals(PAGE, pool.usedBytes());
    two.close();
    assertEquals(0, pool.usedBytes());
  }

  @Test
  void largeAllocationHasPiecesOfSeveralPages() {
    PinnedArena arena = new PinnedArena(pool);
    Memory small = arena.allocate(PAGE / 2).orElseThrow();
    Memory large = arena.allocate(2L * PAGE).orElseThrow();
    assertEquals(
        List.of(PAGE / 2L, (long) PAGE, PAGE / 2L),
        large.pieces().stream().map(MemorySegment::byteSize).toList());
    assertFalse(arena.allocate(PAGE).isPresent(), "the pool has only half a page left");
    small.close();
    large.close();
    arena.close();
    assertEquals(0, pool.usedBytes());
  }

  @Test
  void failedAllocationLeavesThePagesToOthers() {
    PinnedArena arena = new PinnedArena(pool);
    Memory most = arena.allocate(2L * PAGE).orElseThrow();
    PinnedArena other = new PinnedArena(pool);
    assertTrue(other.allocate(2L * PAGE).isEmpty());
    other.close();
    assertTrue(arena.allocate(PAGE).isPresent());
    most.close();
  }

  /** The end of the page that it has begun would be part of what it waits for. */
  @Test
  void waitsForPagesOfItsOwnThatOthersClose() throws Exception {
    PinnedArena arena = new PinnedArena(pool);
    Memory most = arena.allocate(3L * PAGE - 100).orElseThrow();
    Thread closing = Thread.ofPlatform().start(most::close);
    assertTrue(arena.allocate(3L * PAGE, LONG).isPresent());
    closing.join();
  }

  @Test
  void closingAPieceDoesNotWaitForAThreadThatWaitsForMemory() throws Exception {
    PinnedArena arena = new PinnedArena(pool);
    Memory all = arena.allocate(3L * PAGE).orElseThrow();
    Thread closing =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    Thread.sleep(50);
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                  all.close();
                });
    assertTrue(arena.allocate(PAGE, LONG).isPresent());
    closing.join();
  }
}
