// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HostHeap;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Concurrent threads: each marks its slabs' bytes and checks the marks when it frees them. */
class SlabAllocatorConcurrencyTest {
  private static final long MIB = 1L << 20;
  private static final int THREADS = 4;
  private static final int STEPS = 400;

  @TempDir(factory = SharedMemory.class)
  Path base;

  @Test
  void threadsNeverShareSlabsAndSlabsAreBacked() throws Exception {
    HeapFolder folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    try (HostHeap heap = HostHeap.create(folder, 0, 64 * MIB)) {
      SlabAllocator allocator = new SlabAllocator(0, 64 * MIB, heap.backing(), 4 * MIB);
      run(thread -> mark(allocator, heap.local(), thread));
      assertEquals(64 * MIB, allocator.stats().largestFreeBytes());
      assertTrue(allocator.stats().backedBytes() <= 4 * MIB, allocator.stats()::toString);
    }
  }

  @Test
  void allocatorAgreesWithTheBackingAfterFailures() throws Exception {
    FakeBacking backing = new FakeBacking().limit(24 * MIB).failureRate(0.1, 7);
    SlabAllocator allocator = new SlabAllocator(4096, 64 * MIB, backing, 2 * MIB);

    run(
        thread -> {
          Random random = new Random(thread);
          Deque<Slab> live = new ArrayDeque<>();
          for (int step = 0; step < STEPS; step++) {
            if (random.nextInt(5) < 3) {
              Optional<Slab> slab = allocator.allocate(1 + random.nextLong(3 * MIB));
              slab.ifPresent(
                  s -> {
                    assertTrue(backing.isBacked(s), () -> s + " has no memory");
                    live.add(s);
                  });
            } else if (!live.isEmpty()) {
              Slab slab = live.remove();
              assertTrue(backing.isBacked(slab), () -> slab + " has lost its memory");
              allocator.free(slab);
            }
          }
          live.forEach(allocator::free);
          return null;
        });

    SlabStats stats = allocator.stats();
    assertEquals(64 * MIB, stats.largestFreeBytes());
    assertEquals(backing.bytes(), stats.backedBytes());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void slabsThatShareAChunkDoNotReserveItTwice(boolean hasSpace) throws Exception {
    GatedBacking backing = new GatedBacking(0, hasSpace);
    SlabAllocator allocator = new SlabAllocator(0, 4 * MIB, backing, 4 * MIB);
    List<Optional<Slab>> slabs =
        allocateTwo(allocator, backing, () -> assertEquals(List.of(0L, 2 * MIB), backing.reserved));

    slabs.forEach(slab -> assertTrue(slab.isPresent()));
    assertEquals(hasSpace ? 1 : 2, Collections.frequency(backing.reserved, 0L));
  }

  @Test
  void largeChunksAreNotReservedAhead() throws Exception {
    GatedBacking backing = new GatedBacking(0, true);
    SlabAllocator allocator = new SlabAllocator(0, 16 * MIB, backing, 16 * MIB, 4 * MIB, 1);
    List<Optional<Slab>> slabs = allocateTwo(allocator, backing, () -> {});

    slabs.forEach(slab -> assertTrue(slab.isPresent()));
    assertEquals(List.of(0L), backing.reserved);
  }

  @Test
  void memoryThatIsBeingReleasedIsNotReservedAhead() throws Exception {
    GatedBacking backing = new GatedBacking(2 * MIB, true);
    SlabAllocator allocator = new SlabAllocator(0, 6 * MIB, backing, 0);
    backing.open();
    List<Slab> slabs = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      slabs.add(allocator.allocate(2 * MIB).orElseThrow());
    }
    allocator.free(slabs.get(1));
    backing.reserved.clear();
    backing.close();
    try (ExecutorService executor = Executors.newCachedThreadPool()) {
      Future<?> freeing = executor.submit(() -> allocator.free(slabs.get(2)));
      backing.awaitCall();

      allocateTwo(allocator, backing, () -> assertEquals(List.of(2 * MIB), backing.reserved));
      freeing.get(60, TimeUnit.SECONDS);
    }
    assertEquals(List.of(2 * MIB), backing.reserved);
  }

  /** Allocates two slabs of the chunk at the gate, which opens when the second one waits. */
  private static List<Optional<Slab>> allocateTwo(
      SlabAllocator allocator, GatedBacking backing, Runnable whileWaiting) throws Exception {
    List<Optional<Slab>> slabs = new ArrayList<>();
    try (ExecutorService executor = Executors.newCachedThreadPool()) {
      Future<Optional<Slab>> first = executor.submit(() -> allocator.allocate(4096));
      backing.awaitCall();
      FutureTask<Optional<Slab>> second = new FutureTask<>(() -> allocator.allocate(4096));
      Thread thread = new Thread(second);
      thread.start();
      while (thread.isAlive() && thread.getState() != Thread.State.WAITING) {
        Thread.sleep(1);
      }
      whileWaiting.run();
      backing.open();
      slabs.add(first.get(60, TimeUnit.SECONDS));
      slabs.add(second.get(60, TimeUnit.SECONDS));
    }
    return slabs;
  }

  /** Calls at one offset, and all releases, wait while it is closed, as it is at first. */
  private static final class GatedBacking implements SlabBacking {
    private final List<Long> reserved = Collections.synchronizedList(new ArrayList<>());
    private final Semaphore calls = new Semaphore(0);
    private final long gate;
    private boolean hasSpace;
    private CountDownLatch latch = new CountDownLatch(1);

    /** With {@code hasSpace} false, the first call at the gate finds no space. */
    private GatedBacking(long gate, boolean hasSpace) {
      this.gate = gate;
      this.hasSpace = hasSpace;
    }

    private synchronized void open() {
      latch.countDown();
    }

    private synchronized void close() {
      latch = new CountDownLatch(1);
      calls.drainPermits();
    }

    private void awaitCall() throws InterruptedException {
      assertTrue(calls.tryAcquire(60, TimeUnit.SECONDS), "no call at the gate");
    }

    private synchronized CountDownLatch latch() {
      return latch;
    }

    private synchronized boolean takeSpace() {
      boolean space = hasSpace;
      hasSpace = true;
      return space;
    }

    private void pass() {
      CountDownLatch closed = latch();
      calls.release();
      try {
        assertTrue(closed.await(60, TimeUnit.SECONDS), "the gate stayed closed");
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public boolean reserve(long offset, long bytes) {
      reserved.add(offset);
      if (offset != gate) {
        return true;
      }
      pass();
      return takeSpace();
    }

    @Override
    public void release(long offset, long bytes) {
      pass();
    }
  }

  private static Void mark(SlabAllocator allocator, MemorySegment window, int thread) {
    Random random = new Random(thread);
    Deque<Slab> live = new ArrayDeque<>();
    for (int step = 0; step < STEPS; step++) {
      if (random.nextInt(3) < 2) {
        allocator
            .allocate(64 + random.nextLong(random.nextInt(8) == 0 ? 5 * MIB : 60_000))
            .ifPresent(
                slab -> {
                  window.asSlice(slab.offset(), slab.bytes()).fill((byte) 0);
                  window.set(JAVA_LONG, slab.offset(), markOf(thread, slab));
                  window.set(JAVA_LONG, slab.end() - 8, markOf(thread, slab));
                  live.add(slab);
                });
      } else if (!live.isEmpty()) {
        Slab slab = live.remove();
        assertEquals(markOf(thread, slab), window.get(JAVA_LONG, slab.offset()));
        assertEquals(markOf(thread, slab), window.get(JAVA_LONG, slab.end() - 8));
        allocator.free(slab);
      }
    }
    live.forEach(allocator::free);
    return null;
  }

  private static long markOf(int thread, Slab slab) {
    return slab.offset() * 31 + slab.bytes() * 7 + thread + 1;
  }

  private interface Work {
    Void on(int thread) throws Exception;
  }

  private static void run(Work work) throws Exception {
    try (ExecutorService executor = Executors.newFixedThreadPool(THREADS)) {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        tasks.add(() -> work.on(thread));
      }
      for (Future<Void> future : executor.invokeAll(tasks, 60, TimeUnit.SECONDS)) {
        future.get();
      }
    }
  }
}
