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

import java.lang.foreign.MemorySegment;
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
      assertTrue(other.join(Duration.ofSeconds(60)));
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

  /** Writes random bytes at odd offsets into this PE's window; those of others refuse stores. */
  SCATTER {
    @Override
    void run(Context c) {
      scatter(
          c,
          c.pe(),
          (offset, bytes) ->
              MemorySegment.copy(bytes, 0, c.heap.local(), JAVA_BYTE, offset, bytes.length));
      for (int pe = 0; pe < c.peCount; pe++) {
        assertEquals(pe != c.pe(), c.heap.peer(pe).orElseThrow().isReadOnly());
      }
    }
  },

  /** Recomputes the bytes that each PE wrote and compares them with its window. */
  CHECK_SCATTERED {
    @Override
    void run(Context c) {
      for (int writer = 0; writer < c.peCount; writer++) {
        byte[] expected = new byte[(int) c.heap.size()];
        scatter(
            c,
            writer,
            (offset, bytes) -> System.arraycopy(bytes, 0, expected, (int) offset, bytes.length));
        assertArrayEquals(
            expected,
            c.heap.peer(writer).orElseThrow().toArray(JAVA_BYTE),
            "window of PE " + writer);
      }
    }
  },

  /** Fills this PE's window with random bytes. */
  FILL {
    @Override
    void run(Context c) {
      byte[] content = content(c.seed, c.pe(), c.heap.size());
      MemorySegment.copy(content, 0, c.heap.local(), JAVA_BYTE, 0, content.length);
    }
  };

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
    void to(long offset, byte[] bytes);
  }

  /** Repeats the writes of one PE, the same in each process. */
  private static void scatter(Context c, int writer, Write write) {
    Random random = new Random(c.seed * 1009 + writer);
    for (int i = 0; i < WRITES; i++) {
      byte[] bytes = new byte[1 + random.nextInt(i % 10 == 0 ? 200_000 : 300)];
      long offset = random.nextLong(c.heap.size() - bytes.length + 1);
      random.nextBytes(bytes);
      write.to(offset, bytes);
    }
  }
}
