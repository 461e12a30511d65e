// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cli.ring;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.symshuffle.cli.pe.PeArguments;
import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cli.pe.PeLine;
import io.symshuffle.cli.pe.PeMain;
import io.symshuffle.heap.FolderToken;
import io.symshuffle.heap.HeapFolder;
import io.symshuffle.heap.NvshmemHeap;
import io.symshuffle.heap.ShmHeap;
import io.symshuffle.heap.SymmetricHeap;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;

/** A PE of the ring: puts 8 integers into its neighbour's window and looks at what it got. */
final class RingPe {
  static final int INTEGERS = 8;

  private static final long WINDOW_BYTES = 64 << 10;

  private RingPe() {}

  /** Arguments as {@link PeArguments}, and the seed. */
  public static void main(String[] arguments) {
    PeMain.run(arguments, RingPe::run);
  }

  private static void run(PeArguments job) throws Exception {
    long seed = Long.parseLong(job.more().get(0));
    switch (job.backend()) {
      case SHM -> {
        HeapFolder folder =
            HeapFolder.open(job.folder(), new FolderToken(job.token()), job.folder());
        try (ShmHeap heap = ShmHeap.create(folder, job.pe(), WINDOW_BYTES)) {
          heap.backing().reserve(0, heap.size());
          pass(job, heap, "host memory", seed);
        }
      }
      case NVSHMEM -> {
        PeGpu gpu = PeGpu.start(job, NvshmemHeap.arenaBytes(WINDOW_BYTES));
        try (NvshmemHeap heap = NvshmemHeap.create(gpu.runtime(), WINDOW_BYTES, PeGpu.LIMIT)) {
          pass(job, heap, gpu.name(), seed);
        }
        gpu.runtime().finish(PeGpu.LIMIT);
        gpu.runtime().close();
      }
    }
  }

  private static void pass(PeArguments job, SymmetricHeap heap, String device, long seed)
      throws Exception {
    int next = (job.pe() + 1) % job.peCount();
    int before = (job.pe() + job.peCount() - 1) % job.peCount();
    int[] sent = integers(seed, job.pe());
    int[] received = new int[INTEGERS];
    heap.barrier(job.peCount(), PeGpu.LIMIT);
    heap.put(next, 0, MemorySegment.ofArray(sent));
    heap.quiet();
    heap.barrier(job.peCount(), PeGpu.LIMIT);
    heap.get(job.pe(), 0, MemorySegment.ofArray(received));
    boolean passed = Arrays.equals(received, integers(seed, before));
    PeLine.print("ring", device, next, words(sent), before, words(received), passed);
    heap.barrier(job.peCount(), PeGpu.LIMIT);
  }

  private static int[] integers(long seed, int pe) {
    return new Random(seed + pe).ints(INTEGERS, 0, 1000).toArray();
  }

  private static String words(int[] integers) {
    return MemorySegment.ofArray(integers)
        .elements(JAVA_INT)
        .map(element -> Integer.toString(element.get(JAVA_INT, 0)))
        .reduce((a, b) -> a + " " + b)
        .orElse("");
  }
}
