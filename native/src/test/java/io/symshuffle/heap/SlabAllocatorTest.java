// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SlabAllocatorTest {
  private static final long MIB = 1L << 20;

  private final FakeBacking backing = new FakeBacking();

  private static Slab allocate(SlabAllocator allocator, long bytes) {
    return allocator.allocate(bytes).orElseThrow();
  }

  @Test
  void roundsSmallRequestsTo64BytesAndLargeOnesTo64KiB() {
    SlabAllocator allocator = new SlabAllocator(0, 64 * MIB, backing, 0);
    assertEquals(new Slab(0, 64), allocate(allocator, 1));
    assertEquals(new Slab(64, 128), allocate(allocator, 65));
    assertEquals(new Slab(192, MIB), allocate(allocator, MIB));
    assertEquals(MIB + (64 << 10), allocate(allocator, MIB + 1).bytes());
  }

  @Test
  void reservesNewMemoryInOneFileAfterTheOtherAndReusesItFirst() {
    SlabAllocator allocator =
        new SlabAllocator(4 * MIB, 96 * MIB, backing, 96 * MIB, ChunkGrid.CHUNK_BYTES, 3);
    Slab[] first = {
      allocate(allocator, 3 * MIB), allocate(allocator, 3 * MIB), allocate(allocator, 3 * MIB)
    };
    assertEquals(List.of(36 * MIB, 68 * MIB, 4 * MIB), Stream.of(first).map(Slab::offset).toList());
    assertEquals(7 * MIB, allocate(allocator, MIB).offset(), "the rest of a chunk that is backed");
    assertEquals(39 * MIB, allocate(allocator, 3 * MIB).offset(), "the next file");

    allocator.free(first[2]);
    assertEquals(4 * MIB, allocate(allocator, 2 * MIB).offset(), "backed memory of another file");
    assertEquals(71 * MIB, allocate(allocator, 29 * MIB).offset(), "the rest of the window");
    assertEquals(8 * MIB, allocate(allocator, 28 * MIB).offset(), "all of the first file");
    assertEquals(42 * MIB, allocate(allocator, 26 * MIB).offset(), "the only file with room");
    assertTrue(allocator.allocate(2 * MIB).isEmpty());
  }

  @Test
  void retainsFreedMemoryUpToTheLimitAndReleasesTheHighestFirst() {
    SlabAllocator allocator = new SlabAllocator(0, 64 * MIB, backing, 6 * MIB);
    Slab low = allocate(allocator, 8 * MIB);
    Slab high = allocate(allocator, 8 * MIB);

    allocator.free(low);
    assertEquals(14 * MIB, backing.bytes());
    assertTrue(backing.isBacked(new Slab(0, 6 * MIB)), "the low end is retained");
    allocator.free(high);
    assertEquals(6 * MIB, backing.bytes());
    assertTrue(backing.isBacked(new Slab(0, 6 * MIB)), "the low end is still retained");

    int calls = backing.reserveCalls();
    assertEquals(0, allocate(allocator, 6 * MIB).offset());
    assertEquals(calls, backing.reserveCalls(), "backed memory is not reserved again");
  }

  @Test
  void prefersABackedRangeToATighterUnbackedOne() {
    SlabAllocator allocator = new SlabAllocator(0, 64 * MIB, backing, 4 * MIB);
    Slab warm = allocate(allocator, 6 * MIB);
    Slab between = allocate(allocator, 2 * MIB);
    Slab cold = allocate(allocator, 4 * MIB);
    allocate(allocator, 52 * MIB);
    allocator.free(cold);
    allocator.free(warm);
    assertTrue(backing.isBacked(new Slab(0, 4 * MIB)), "the lower hole is backed");
    assertTrue(!backing.isBacked(new Slab(cold.offset(), 64)), "the upper one is not");

    assertEquals(0, allocate(allocator, 4 * MIB).offset());
    assertEquals(6 * MIB, between.offset());
  }

  @Test
  void isEmptyAndLeaksNothingWhenTheBackingHasNoSpace() {
    backing.limit(5 * MIB);
    SlabAllocator allocator = new SlabAllocator(0, 64 * MIB, backing, 0);
    Slab first = allocate(allocator, 2 * MIB);

    assertEquals(Optional.empty(), allocator.allocate(10 * MIB));

    assertEquals(2 * MIB, backing.bytes(), "partly reserved memory was released");
    assertEquals(new SlabStats(64 * MIB, 2 * MIB, 2 * MIB, 62 * MIB), allocator.stats());
    allocate(allocator, 2 * MIB);
    allocator.free(first);
  }

  @Test
  void releasesRetainedMemoryWhenSpaceIsNeededElsewhere() {
    backing.limit(10 * MIB);
    SlabAllocator allocator = new SlabAllocator(0, 64 * MIB, backing, 64 * MIB);
    Slab low = allocate(allocator, 4 * MIB);
    Slab high = allocate(allocator, 4 * MIB);
    allocator.free(low);

    Slab wide = allocate(allocator, 3 * MIB);
    assertEquals(0, wide.offset(), "fits where there is memory");
    allocator.free(wide);
    Slab elsewhere = allocate(allocator, 4 * MIB + 1);
    assertTrue(elsewhere.offset() > high.offset(), "did not fit there");
    assertTrue(backing.isBacked(elsewhere));
  }

  @Test
  void retainsAndReusesMemoryThatCannotBeReleased() {
    backing.releaseFails();
    SlabAllocator allocator = new SlabAllocator(0, 16 * MIB, backing, 0);

    allocator.free(allocate(allocator, 4 * MIB));
    allocator.free(allocate(allocator, 4 * MIB));

    assertEquals(1, backing.releaseCalls(), "it does not try to release again");
    assertEquals(new SlabStats(16 * MIB, 0, 4 * MIB, 16 * MIB), allocator.stats());
  }

  @Test
  void undoesAnAllocationWhenTheBackingThrows() {
    SlabBacking throwing =
        new SlabBacking() {
          @Override
          public boolean reserve(long offset, long bytes) {
            throw new IllegalStateException("closed");
          }

          @Override
          public void release(long offset, long bytes) {}
        };
    SlabAllocator allocator = new SlabAllocator(0, MIB, throwing, 0);

    assertThrows(IllegalStateException.class, () -> allocator.allocate(1));

    assertEquals(new SlabStats(MIB, 0, 0, MIB), allocator.stats());
  }

  @Test
  void refusesToFreeASlabThatIsNotAllocated() {
    SlabAllocator allocator = new SlabAllocator(0, MIB, backing, 0);
    Slab slab = allocate(allocator, 100);
    allocate(allocator, 200);
    allocator.free(slab);

    String twice =
        assertThrows(IllegalArgumentException.class, () -> allocator.free(slab)).getMessage();
    assertTrue(twice.contains("Slab[offset=0, bytes=128]"), twice);
    Slab inItsPlace = allocate(allocator, slab.bytes());
    assertEquals(slab, inItsPlace);
    assertThrows(
        IllegalArgumentException.class,
        () -> allocator.free(slab),
        "a second free would free the new slab");
    assertEquals(128 + 256, allocator.stats().usedBytes());
    allocator.free(inItsPlace);
    Slab wrongLength = new Slab(128, 64);
    String foreign =
        assertThrows(IllegalArgumentException.class, () -> allocator.free(wrongLength))
            .getMessage();
    assertTrue(foreign.contains("there is Slab[offset=128, bytes=256]"), foreign);
    assertEquals(256, allocator.stats().usedBytes());
  }

  @Test
  void retainsAllMemoryWhileAnotherSlabIsBeingReserved() {
    SlabAllocator[] allocator = new SlabAllocator[1];
    List<Slab> freedDuringReserve = new ArrayList<>();
    SlabBacking freeing =
        new SlabBacking() {
          @Override
          public boolean reserve(long offset, long bytes) {
            freedDuringReserve.forEach(allocator[0]::free);
            freedDuringReserve.clear();
            return backing.reserve(offset, bytes);
          }

          @Override
          public void release(long offset, long bytes) {
            backing.release(offset, bytes);
          }
        };
    allocator[0] = new SlabAllocator(0, 64 * MIB, freeing, Long.MAX_VALUE);
    freedDuringReserve.add(allocate(allocator[0], 2 * MIB));

    allocate(allocator[0], 8 * MIB);

    assertEquals(0, backing.releaseCalls());
    assertEquals(10 * MIB, allocator[0].stats().backedBytes());
  }
}
