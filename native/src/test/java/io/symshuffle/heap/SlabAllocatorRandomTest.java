// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random requests against a model that knows only a list of slabs. */
class SlabAllocatorRandomTest {
  private static final long MIB = 1L << 20;
  private static final int STEPS = 4000;

  private final TreeMap<Long, Slab> model = new TreeMap<>();

  @ParameterizedTest(name = "seed {0}, base {1}, retained {2}, failure rate {3}, {4} stripes")
  @CsvSource({
    "1, 0, 0, 0, 1",
    "2, 4096, 8388608, 0, 1",
    "3, 2097152, 33554432, 0, 1",
    "4, 65536, 4194304, 0.02, 1",
    "5, 3145792, 0, 0.2, 1",
    "6, 4096, 8388608, 0, 3",
    "7, 3145792, 33554432, 0.02, 8",
    "8, 0, 0, 0, 1000",
  })
  void agreesWithAModel(long seed, long base, long retained, double failureRate, int stripes) {
    Random random = new Random(seed);
    FakeBacking backing = new FakeBacking().failureRate(failureRate, seed);
    long capacity = 48 * MIB + 64L * random.nextInt(1000);
    SlabAllocator allocator =
        new SlabAllocator(base, capacity, backing, retained, ChunkGrid.CHUNK_BYTES, stripes);
    List<Slab> live = new ArrayList<>();

    for (int step = 0; step < STEPS; step++) {
      // Alternates between phases of growing and shrinking.
      boolean grow = random.nextInt(100) < (step / 500 % 2 == 0 ? 65 : 35);
      if (grow) {
        long bytes = 1 + (long) (Math.pow(random.nextDouble(), 4) * 8 * MIB);
        long largest = largestGap(base, capacity);
        Optional<Slab> slab = allocator.allocate(bytes);
        if (slab.isPresent()) {
          check(slab.get(), bytes, base, capacity, backing);
          model.put(slab.get().offset(), slab.get());
          live.add(slab.get());
        } else if (failureRate == 0) {
          assertTrue(bytes > largest - 64 * 1024, "refused " + bytes + " with a gap of " + largest);
        }
      } else if (!live.isEmpty()) {
        Slab slab = live.remove(random.nextInt(live.size()));
        model.remove(slab.offset());
        allocator.free(slab);
      }
      checkStats(allocator, base, capacity, backing);
    }

    live.forEach(allocator::free);
    model.clear();
    SlabStats end = allocator.stats();
    assertEquals(capacity, end.largestFreeBytes(), "all free ranges merge into one");
    assertEquals(0, end.usedBytes());
    assertEquals(backing.bytes(), end.backedBytes());
    assertTrue(end.backedBytes() <= retained, end + " retains more than " + retained);
  }

  private void check(Slab slab, long bytes, long base, long capacity, FakeBacking backing) {
    assertTrue(slab.bytes() >= bytes, () -> slab + " for " + bytes);
    assertTrue(slab.bytes() < bytes + (bytes > MIB ? 64 * 1024 : 64), () -> slab + " for " + bytes);
    assertEquals(0, slab.offset() % 64);
    assertTrue(slab.offset() >= base && slab.end() <= base + capacity, slab::toString);
    var before = model.floorEntry(slab.offset());
    assertTrue(before == null || before.getValue().end() <= slab.offset(), slab + " and " + before);
    var after = model.ceilingEntry(slab.offset());
    assertTrue(after == null || slab.end() <= after.getKey(), slab + " and " + after);
    assertTrue(backing.isBacked(slab), () -> slab + " has no memory");
  }

  private void checkStats(SlabAllocator allocator, long base, long capacity, FakeBacking backing) {
    SlabStats stats = allocator.stats();
    long used = model.values().stream().mapToLong(Slab::bytes).sum();
    assertEquals(new SlabStats(capacity, used, backing.bytes(), largestGap(base, capacity)), stats);
  }

  private long largestGap(long base, long capacity) {
    long largest = 0;
    long end = base;
    for (Slab slab : model.values()) {
      largest = Math.max(largest, slab.offset() - end);
      end = slab.end();
    }
    return Math.max(largest, base + capacity - end);
  }
}
