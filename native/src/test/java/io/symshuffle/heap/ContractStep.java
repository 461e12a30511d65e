// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeoutException;

/**
 * What every PE does in its process while the contract is tested; all PEs unless it says otherwise.
 */
enum ContractStep {
  /** Each marks both ends of its window and finds the marks of all. */
  WINDOWS {
    @Override
    void run(PeContext c) throws Exception {
      MemorySegment local = c.heap().local();
      assertEquals(c.heap().size(), local.byteSize());
      assertEquals(0, local.address() % 4096);
      assertSame(local, c.heap().local());
      c.write(0, mark(c.pe()));
      c.write(local.byteSize() - 8, -mark(c.pe()));
      c.barrier();
      for (int pe = 0; pe < c.peCount(); pe++) {
        MemorySegment copy = MemorySegment.ofArray(new long[1]);
        c.heap().get(pe, 0, copy);
        assertEquals(mark(pe), copy.get(JAVA_LONG, 0));
        MemorySegment peer = c.heap().peer(pe).orElse(null);
        if (peer != null) {
          assertSame(peer, c.heap().peer(pe).orElseThrow());
          assertEquals(-mark(pe), peer.get(JAVA_LONG, peer.byteSize() - 8));
        }
      }
      Thread other = new Thread(() -> c.write(8, mark(c.pe())));
      other.start();
      assertTrue(other.join(Duration.ofSeconds(10)));
      assertEquals(mark(c.pe()), c.read(8));
      c.barrier();
    }

    private long mark(int pe) {
      return 0x5eed_0000_0000_0001L + pe;
    }
  },

  /**
   * Each puts random bytes at odd places into its own stripe of every window; then each recomputes
   * what it should have, and gets random pieces of the others.
   */
  PUT_AND_GET {
    private static final int PUTS = 40;

    @Override
    void run(PeContext c) throws Exception {
      c.fill((byte) 0);
      c.barrier();
      Random random = c.random(c.pe());
      try (Arena arena = Arena.ofConfined()) {
        for (int i = 0; i < PUTS; i++) {
          int target = random.nextInt(c.peCount());
          byte[] bytes = new byte[1 + random.nextInt(i % 10 == 0 ? 200_000 : 300)];
          long offset = offset(c, c.pe(), random, bytes.length);
          random.nextBytes(bytes);
          MemorySegment source = MemorySegment.ofArray(bytes);
          c.heap()
              .put(
                  target,
                  offset,
                  i % 2 == 0 ? source : arena.allocate(bytes.length).copyFrom(source));
        }
      }
      c.heap().quiet();
      c.barrier();
      byte[][] expected = new byte[c.peCount()][(int) c.heap().size()];
      for (int writer = 0; writer < c.peCount(); writer++) {
        Random again = c.random(writer);
        for (int i = 0; i < PUTS; i++) {
          int target = again.nextInt(c.peCount());
          byte[] bytes = new byte[1 + again.nextInt(i % 10 == 0 ? 200_000 : 300)];
          int offset = (int) offset(c, writer, again, bytes.length);
          again.nextBytes(bytes);
          System.arraycopy(bytes, 0, expected[target], offset, bytes.length);
        }
      }
      assertArrayEquals(expected[c.pe()], c.read(0, (int) c.heap().size()), "own window");
      for (int i = 0; i < PUTS; i++) {
        int pe = random.nextInt(c.peCount());
        int from = random.nextInt((int) c.heap().size());
        int bytes = random.nextInt(Math.min(100_000, (int) c.heap().size() - from));
        assertArrayEquals(
            Arrays.copyOfRange(expected[pe], from, from + bytes), c.get(pe, from, bytes));
      }
      c.barrier();
    }

    private long offset(PeContext c, int writer, Random random, int bytes) {
      long stripe = c.heap().size() / c.peCount();
      return writer * stripe + random.nextLong(stripe - bytes + 1);
    }
  },

  /** All count in one word of PE 0. */
  PEER_ATOMICS {
    private static final VarHandle COUNTER = JAVA_LONG.varHandle();
    private static final int COUNTS = 10_000;

    @Override
    void run(PeContext c) throws Exception {
      if (c.pe() == 0) {
        c.write(64, 0);
      }
      c.barrier();
      MemorySegment counters = c.heap().peer(0).orElse(null);
      if (counters == null) {
        return;
      }
      for (int i = 0; i < COUNTS; i++) {
        long before = (long) COUNTER.getAndAdd(counters, 64L, 1L);
        assertTrue(before >= 0);
      }
      c.barrier();
      assertEquals((long) COUNTS * c.peCount(), (long) COUNTER.getAcquire(counters, 64L));
      c.barrier();
    }
  },

  /** Nobody sees anything of another phase between two barriers. */
  PHASES {
    @Override
    void run(PeContext c) throws Exception {
      for (long phase = 1; phase <= 60; phase++) {
        c.write(128, phase);
        c.barrier();
        for (int pe = 0; pe < c.peCount(); pe++) {
          MemorySegment copy = MemorySegment.ofArray(new long[1]);
          c.heap().get(pe, 128, copy);
          assertEquals(phase, copy.get(JAVA_LONG, 0), "of PE " + pe);
        }
        c.barrier();
      }
    }
  },

  /** Barriers of fewer PEs, in between those of all. */
  SOME_BARRIERS {
    @Override
    void run(PeContext c) throws Exception {
      for (int round = 0; round < 10; round++) {
        for (int some = 1; some <= c.peCount(); some++) {
          int count = some;
          if (c.pe() < some) {
            c.heap().barrier(some, Duration.ofSeconds(30));
          } else {
            assertThrows(
                IllegalArgumentException.class, () -> c.heap().barrier(count, Duration.ZERO));
          }
        }
        c.barrier();
      }
    }
  },

  /** Ranges outside a window are refused, by name, and nothing is moved. */
  BOUNDS {
    @Override
    void run(PeContext c) throws Exception {
      long size = c.heap().size();
      c.fill((byte) 3);
      c.barrier();
      for (int pe = 0; pe < c.peCount(); pe++) {
        refused(c, pe, -1, 1);
        refused(c, pe, size, 1);
        refused(c, pe, size - 3, 4);
        refused(c, pe, Long.MAX_VALUE, 8);
        refused(c, pe, Long.MIN_VALUE, 8);
        refused(c, pe, 1, (int) size);
        c.heap().get(pe, size, MemorySegment.ofArray(new byte[0]));
        c.heap().put(pe, size, MemorySegment.ofArray(new byte[0]));
        assertEquals(3, c.get(pe, size - 1, 1)[0]);
      }
      assertThrows(IllegalArgumentException.class, () -> c.heap().peer(-1));
      c.barrier();
      assertEquals(3, c.read(size - 1, 1)[0]);
      c.barrier();
    }

    private void refused(PeContext c, int pe, long offset, int bytes) {
      byte[] data = new byte[bytes];
      MemorySegment segment = MemorySegment.ofArray(data);
      String get =
          assertThrows(IndexOutOfBoundsException.class, () -> c.heap().get(pe, offset, segment))
              .getMessage();
      String put =
          assertThrows(IndexOutOfBoundsException.class, () -> c.heap().put(pe, offset, segment))
              .getMessage();
      assertEquals(
          bytes
              + " bytes at offset "
              + offset
              + " leave the window of PE "
              + pe
              + ", which has "
              + c.heap().size()
              + " bytes",
          get);
      assertEquals(get, put);
      assertArrayEquals(new byte[bytes], data);
    }
  },

  /** For PE 0 alone: a barrier to which the others don't come. */
  TIME_OUT {
    @Override
    void run(PeContext c) {
      long start = System.nanoTime();
      String message =
          assertThrows(
                  TimeoutException.class,
                  () -> c.heap().barrier(c.peCount(), Duration.ofMillis(200)))
              .getMessage();
      long millis = (System.nanoTime() - start) / 1_000_000;
      assertTrue(millis >= 200 && millis < 5_000, millis + " ms");
      assertTrue(message.contains((c.peCount() - 1) + " missing: PE 1"), message);
      assertThrows(
          TimeoutException.class, () -> c.heap().barrier(c.peCount(), Duration.ofMillis(-1)));
    }
  },

  /** A barrier of all. */
  BARRIER {
    @Override
    void run(PeContext c) throws Exception {
      c.barrier();
    }
  },

  /** Fills the own window with random bytes. */
  FILL {
    @Override
    void run(PeContext c) {
      c.write(0, MemorySegment.ofArray(content(c.seed(), c.pe(), c.heap().size())));
    }
  },

  /** Closes the heap, twice, and finds it closed. */
  CLOSE {
    @Override
    void run(PeContext c) throws Exception {
      MemorySegment local = c.heap().local();
      MemorySegment peer = c.heap().peer(0).orElse(null);
      long size = c.heap().size();
      c.barrier();
      c.heap().close();
      c.heap().close();
      MemorySegment one = MemorySegment.ofArray(new byte[1]);
      assertThrows(IllegalStateException.class, () -> c.heap().local());
      assertThrows(IllegalStateException.class, () -> c.heap().peer(0));
      assertThrows(IllegalStateException.class, () -> c.heap().get(0, 0, one));
      assertThrows(IllegalStateException.class, () -> c.heap().put(0, 0, one));
      assertThrows(IllegalStateException.class, () -> c.heap().quiet());
      assertThrows(IllegalStateException.class, () -> c.heap().barrier(c.peCount(), Duration.ZERO));
      assertThrows(IllegalStateException.class, () -> local.get(JAVA_BYTE, 0));
      if (peer != null) {
        assertThrows(IllegalStateException.class, () -> peer.get(JAVA_BYTE, 0));
      }
      assertEquals(size, c.heap().size());
    }
  };

  abstract void run(PeContext c) throws Exception;

  /** What {@link #FILL} writes. */
  static byte[] content(long seed, int pe, long bytes) {
    byte[] content = new byte[Math.toIntExact(bytes)];
    new Random(seed * 31 + pe).nextBytes(content);
    return content;
  }
}
