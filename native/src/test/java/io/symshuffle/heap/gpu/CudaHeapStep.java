// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceBytes;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.heap.DeviceHeap;
import io.symshuffle.heap.Slab;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** What a PE does in tests of CUDA heaps whose PEs come and go; the number is a seed or a PE. */
enum CudaHeapStep {
  /** Writes random bytes to slabs and lists them in a file, for the others. */
  WRITE {
    @Override
    void run(Context c, long seed) throws Exception {
      Random random = new Random(seed);
      List<String> slabs = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        int bytes = 1 + random.nextInt(1_000_000);
        Slab slab = c.heap.slabs().allocate(bytes).orElseThrow();
        DeviceBytes.write(
            c.stream,
            c.heap.window().slice(slab.offset(), bytes),
            content(seed, slab.offset(), bytes));
        slabs.add("%d %d %d".formatted(seed, slab.offset(), bytes));
      }
      Files.write(c.list(c.heap.myPe()), slabs, StandardCharsets.UTF_8);
    }
  },

  /** Reads what a PE has written, as soon as it can be read. */
  READ {
    @Override
    void run(Context c, long pe) throws Exception {
      for (String line : Files.readAllLines(c.list((int) pe), StandardCharsets.UTF_8)) {
        String[] words = line.split(" ", 3);
        long offset = Long.parseLong(words[1]);
        int bytes = Integer.parseInt(words[2]);
        assertArrayEquals(
            content(Long.parseLong(words[0]), offset, bytes),
            DeviceBytes.read(c.stream, c.heap.range((int) pe, offset, bytes).orElseThrow()),
            bytes + " bytes at " + offset + " of PE " + pe);
      }
    }
  },

  /** Fails unless a PE is soon forgotten here; if this PE is alone, only its own memory is left. */
  AWAIT_FORGOTTEN {
    @Override
    void run(Context c, long pe) throws Exception {
      long deadline = System.nanoTime() + LIMIT.toNanos();
      while (c.heap.pes().contains((int) pe) || (c.heap.pes().size() == 1 && hasMoreThanOwn(c))) {
        assertTrue(System.nanoTime() - deadline < 0, "PE " + pe + " is still known or mapped");
        Thread.sleep(5);
      }
    }

    // The fake driver has two descriptors of each chunk, of which the heap owns one.
    private boolean hasMoreThanOwn(Context c) throws Exception {
      long own = Math.ceilDiv(c.heap.slabs().stats().backedBytes(), CudaHeapMaker.CHUNK_BYTES);
      return FakeMemory.mappings() > own || FakeMemory.descriptors() > 2 * own;
    }
  },

  /** Writes to another PE's window, which ends this process. */
  WRITE_ASTRAY {
    @Override
    void run(Context c, long pe) throws Exception {
      String[] words =
          Files.readAllLines(c.list((int) pe), StandardCharsets.UTF_8).get(0).split(" ", 3);
      DeviceRange theirs = c.heap.range((int) pe, Long.parseLong(words[1]), 1).orElseThrow();
      DeviceBytes.write(c.stream, theirs, new byte[] {1});
    }
  },

  /** Leaves like an executor that was removed. */
  LEAVE {
    @Override
    void run(Context c, long unused) {
      ((CudaHeap) c.heap).leave(LIMIT);
      c.heap.close();
    }
  };

  static final Duration LIMIT = Duration.ofMinutes(10);

  /**
   * The objects that a step uses.
   *
   * @param heap the heap of this PE
   * @param stream for copies
   * @param folder for files that list slabs
   */
  record Context(DeviceHeap heap, CudaStream stream, Path folder) {
    Path list(int pe) {
      return folder.resolve("slabs-" + pe);
    }
  }

  abstract void run(Context c, long number) throws Exception;

  private static byte[] content(long seed, long offset, int bytes) {
    byte[] content = new byte[bytes];
    new Random(seed * 31 + offset).nextBytes(content);
    return content;
  }
}
