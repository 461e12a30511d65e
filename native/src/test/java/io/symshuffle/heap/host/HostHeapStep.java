// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.ffi.Segments;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Random;

/** The steps of the PEs in a test of the host heap. Each step ends with a barrier of its PEs. */
enum HostHeapStep {
  /** Marks both ends of this PE's window, from two threads. */
  MARK {
    @Override
    void run(Context c) throws Exception {
      MemorySegment local = c.heap.local();
      assertEquals(c.heap.size(), local.byteSize());
      assertEquals(0, local.address() % 4096);
      assertSame(local, c.heap.local());
      assertSame(local, c.heap.peer(c.pe()).orElseThrow());
      local.set(JAVA_LONG, 0, mark(c.pe()));
      Thread other = new Thread(() -> local.set(JAVA_LONG, local.byteSize() - 8, -mark(c.pe())));
      other.start();
      assertTrue(other.join(Duration.ofSeconds(10)));
    }
  },

  /** Finds the marks of all PEs. */
  FIND_MARKS {
    @Override
    void run(Context c) {
      for (int pe = 0; pe < c.peCount; pe++) {
        MemorySegment window = c.heap.peer(pe).orElseThrow();
        assertSame(window, c.heap.peer(pe).orElseThrow());
        assertEquals(mark(pe), window.get(JAVA_LONG, 0));
        assertEquals(-mark(pe), window.get(JAVA_LONG, window.byteSize() - 8));
      }
      assertThrows(IllegalArgumentException.class, () -> c.heap.peer(-1));
    }
  },

  /** Zeroes this PE's window. */
  CLEAR {
    @Override
    void run(Context c) {
      c.heap.local().fill((byte) 0);
    }
  },

  /** Writes random bytes at odd offsets into this PE's stripe of every window. */
  SCATTER {
    @Override
    void run(Context c) {
      scatter(
          c,
          c.pe(),
          (target, offset, bytes) -> {
            MemorySegment window = c.heap.peer(target).orElseThrow();
            MemorySegment.copy(bytes, 0, window, JAVA_BYTE, offset, bytes.length);
          });
    }
  },

  /** Recomputes the bytes that all PEs wrote and compares them with every window. */
  CHECK_SCATTERED {
    @Override
    void run(Context c) {
      byte[][] expected = new byte[c.peCount][(int) c.heap.size()];
      for (int writer = 0; writer < c.peCount; writer++) {
        scatter(
            c,
            writer,
            (target, offset, bytes) ->
                System.arraycopy(bytes, 0, expected[target], (int) offset, bytes.length));
      }
      for (int pe = 0; pe < c.peCount; pe++) {
        assertArrayEquals(
            expected[pe], c.heap.peer(pe).orElseThrow().toArray(JAVA_BYTE), "window of PE " + pe);
      }
    }
  },

  /** Increments one word of PE 0 from all PEs. */
  COUNT {
    @Override
    void run(Context c) {
      MemorySegment counters = c.heap.peer(0).orElseThrow();
      for (int i = 0; i < COUNTS; i++) {
        assertTrue((long) COUNTER.getAndAdd(counters, 64L, 1L) >= 0);
      }
    }
  },

  /** Checks that no increment was lost. */
  CHECK_COUNT {
    @Override
    void run(Context c) {
      assertEquals(
          (long) COUNTS * c.peCount, (long) COUNTER.getAcquire(c.heap.peer(0).orElseThrow(), 64L));
    }
  },

  /** Fills this PE's window with random bytes. */
  FILL {
    @Override
    void run(Context c) {
      byte[] content = content(c.seed, c.pe(), c.heap.size());
      MemorySegment.copy(content, 0, c.heap.local(), JAVA_BYTE, 0, content.length);
    }
  },

  /** Closes the heap, twice; everything refuses use afterwards. */
  CLOSE {
    @Override
    void run(Context c) {
      MemorySegment local = c.heap.local();
      MemorySegment peer = c.heap.peer(0).orElseThrow();
      long size = c.heap.size();
      c.heap.close();
      c.heap.close();
      assertThrows(IllegalStateException.class, () -> c.heap.local());
      assertThrows(IllegalStateException.class, () -> c.heap.peer(0));
      assertThrows(IllegalStateException.class, () -> c.heap.isAlive(0));
      assertThrows(IllegalStateException.class, () -> local.get(JAVA_BYTE, 0));
      assertThrows(IllegalStateException.class, () -> peer.get(JAVA_BYTE, 0));
      assertEquals(size, c.heap.size());
    }
  };

  private static final VarHandle COUNTER = Segments.varHandle(JAVA_LONG);
  private static final int COUNTS = 10_000;
  private static final int WRITES = 40;

  /**
   * The objects that a step uses.
   *
   * @param heap the heap of this PE
   * @param peCount number of PEs
   * @param seed the same on all PEs
   */
  record Context(HostHeap heap, int peCount, long seed) {
    int pe() {
      return heap.myPe();
    }
  }

  abstract void run(Context c) throws Exception;

  /** Returns the bytes that {@link #FILL} writes. */
  static byte[] content(long seed, int pe, long bytes) {
    byte[] content = new byte[Math.toIntExact(bytes)];
    new Random(seed * 31 + pe).nextBytes(content);
    return content;
  }

  private static long mark(int pe) {
    return 0x5eed_0000_0000_0001L + pe;
  }

  /** Receives a write. */
  private interface Write {
    void to(int target, long offset, byte[] bytes);
  }

  /** Repeats the writes of one PE, the same in each process. */
  private static void scatter(Context c, int writer, Write write) {
    Random random = new Random(c.seed * 1009 + writer);
    long stripe = c.heap.size() / c.peCount;
    for (int i = 0; i < WRITES; i++) {
      int target = random.nextInt(c.peCount);
      byte[] bytes = new byte[1 + random.nextInt(i % 10 == 0 ? 200_000 : 300)];
      long offset = writer * stripe + random.nextLong(stripe - bytes.length + 1);
      random.nextBytes(bytes);
      write.to(target, offset, bytes);
    }
  }
}
