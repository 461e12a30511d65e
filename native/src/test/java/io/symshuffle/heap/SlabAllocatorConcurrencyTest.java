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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
  void slabsThatShareAChunkReserveItOnce(boolean hasSpace) throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    SlabBacking slow =
        new SlabBacking() {
          @Override
          public boolean reserve(long offset, long bytes) {
            boolean first = calls.incrementAndGet() == 1;
            started.countDown();
            try {
              assertTrue(finish.await(60, TimeUnit.SECONDS), "the second slab did not wait");
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
            return hasSpace || !first;
          }

          @Override
          public void release(long offset, long bytes) {}
        };
    SlabAllocator allocator = new SlabAllocator(0, 2 * MIB, slow, 2 * MIB);
    try (ExecutorService executor = Executors.newCachedThreadPool()) {
      Future<Optional<Slab>> reserving = executor.submit(() -> allocator.allocate(4096));
      assertTrue(started.await(60, TimeUnit.SECONDS));
      FutureTask<Optional<Slab>> waiting = new FutureTask<>(() -> allocator.allocate(4096));
      Thread second = new Thread(waiting);
      second.start();
      while (second.getState() != Thread.State.WAITING && calls.get() == 1) {
        Thread.onSpinWait();
      }
      assertEquals(1, calls.get(), "the second slab reserved the same chunk");
      finish.countDown();

      assertEquals(hasSpace, reserving.get(60, TimeUnit.SECONDS).isPresent());
      assertTrue(waiting.get(60, TimeUnit.SECONDS).isPresent());
    }
    assertEquals(hasSpace ? 1 : 2, calls.get());
    assertEquals(2 * MIB, allocator.stats().backedBytes());
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
