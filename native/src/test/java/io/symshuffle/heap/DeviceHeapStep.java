// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceBytes;
import io.symshuffle.cuda.DeviceRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/** The steps of the PEs in a test of device heaps. Each step ends with a barrier of its PEs. */
enum DeviceHeapStep {
  /** Checks this PE's window and the numbers of PEs. */
  DESCRIBE {
    @Override
    void run(Context c) {
      assertEquals(IntStream.range(0, c.peCount).boxed().toList(), c.heap.pes());
      DeviceRange window = c.heap.window();
      assertEquals(c.heap.size(), window.bytes());
      assertEquals(0, window.address() % (64 << 10));
      Slab slab = c.heap.slabs().allocate(4096).orElseThrow();
      int me = c.heap.myPe();
      assertEquals(
          Optional.of(window.slice(slab.offset(), 4096)), c.heap.range(me, slab.offset(), 4096));
      for (int pe : new int[] {-1, c.peCount, Integer.MAX_VALUE}) {
        assertEquals(Optional.empty(), c.heap.range(pe, slab.offset(), 4096));
      }
      for (int pe : c.heap.pes()) {
        assertEquals(Optional.empty(), c.heap.range(pe, c.heap.size() - 8, 16));
        assertEquals(Optional.empty(), c.heap.range(pe, -8, 16));
        assertEquals(Optional.empty(), c.heap.range(pe, Long.MAX_VALUE - 8, 16));
        assertEquals(Optional.empty(), c.heap.range(pe, slab.offset(), 0));
      }
      c.heap.slabs().free(slab);
    }
  },

  /** Allocates slabs of all sizes and writes random bytes into them. */
  WRITE_SLABS {
    @Override
    void run(Context c) throws Exception {
      List<Slab> slabs = allocate(c.heap.slabs(), c.seed);
      for (Slab slab : slabs) {
        assertTrue(slab.offset() > 0 && slab.end() <= c.heap.size(), slab.toString());
        c.write(slab, content(c.seed, c.heap.myPe(), slab));
      }
      for (Slab slab : slabs) {
        assertArrayEquals(
            content(c.seed, c.heap.myPe(), slab),
            c.read(c.heap.window().slice(slab.offset(), slab.bytes())));
      }
      slabs.forEach(c.heap.slabs()::free);
      assertEquals(0, c.heap.slabs().stats().usedBytes());
    }
  },

  /** Reads the slabs of all PEs, which were allocated in the same order. */
  READ_SLABS {
    @Override
    void run(Context c) throws Exception {
      List<Slab> slabs = allocate(c.heap.slabs(), c.seed);
      for (int pe = 0; pe < c.peCount; pe++) {
        int theirs = pe;
        for (Slab slab : slabs) {
          assertArrayEquals(
              content(c.seed, pe, slab),
              c.read(
                  c.heap
                      .range(pe, slab.offset(), slab.bytes())
                      .orElseThrow(
                          () -> new AssertionError(slab + " of PE " + theirs + " cannot be read"))),
              slab + " of PE " + pe);
        }
      }
      slabs.forEach(c.heap.slabs()::free);
    }
  },

  /** Tells the heap that a PE has died; slabs can still be allocated. */
  LOSE_PEER {
    @Override
    void run(Context c) {
      c.heap.lost(c.peCount - 1);
      c.heap.lost(c.peCount - 1);
      c.heap.lost(77);
      c.heap.slabs().free(c.heap.slabs().allocate(1000).orElseThrow());
    }
  },

  /** Closes the heap, twice; everything refuses use afterwards. */
  CLOSE {
    @Override
    void run(Context c) {
      long size = c.heap.size();
      c.heap.close();
      c.heap.close();
      assertThrows(IllegalStateException.class, () -> c.heap.window());
      assertThrows(IllegalStateException.class, () -> c.heap.range(0, 64, 64));
      assertEquals(size, c.heap.size());
      assertEquals(c.peCount, c.heap.pes().size());
    }
  };

  /**
   * The objects that a step uses.
   *
   * @param heap the heap of this PE
   * @param stream for copies
   * @param peCount number of PEs
   * @param seed the same on all PEs
   */
  record Context(DeviceHeap heap, CudaStream stream, int peCount, long seed) {
    void write(Slab slab, byte[] bytes) throws Exception {
      DeviceBytes.write(stream, heap.window().slice(slab.offset(), slab.bytes()), bytes);
    }

    byte[] read(DeviceRange from) throws Exception {
      return DeviceBytes.read(stream, from);
    }
  }

  abstract void run(Context c) throws Exception;

  /** Returns the lengths of the slabs, the same on every PE. */
  private static List<Slab> allocate(SlabAllocator slabs, long seed) {
    Random random = new Random(seed);
    List<Slab> allocated = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      allocated.add(slabs.allocate(1 + random.nextInt(i % 5 == 0 ? 300_000 : 5_000)).orElseThrow());
    }
    return allocated;
  }

  private static byte[] content(long seed, int pe, Slab slab) {
    byte[] content = new byte[(int) slab.bytes()];
    new Random(seed * 31 + pe * 1009L + slab.offset()).nextBytes(content);
    return content;
  }
}
