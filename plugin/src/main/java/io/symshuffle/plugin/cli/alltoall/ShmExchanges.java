// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.cli.alltoall;

import io.symshuffle.cli.pe.PeArguments;
import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cli.pe.PeLine;
import io.symshuffle.heap.FolderToken;
import io.symshuffle.heap.HeapFolder;
import io.symshuffle.heap.ShmHeap;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;

/**
 * Pull and push through shared memory: each PE copies on one thread. The first half of a window is
 * what its PE sends, the second what it receives.
 */
final class ShmExchanges {
  private final PeArguments job;
  private final long seed;

  ShmExchanges(PeArguments job, long seed) {
    this.job = job;
    this.seed = seed;
  }

  void run(List<Long> sizes) throws Exception {
    long most = sizes.stream().mapToLong(Long::longValue).max().orElseThrow();
    HeapFolder folder = HeapFolder.open(job.folder(), new FolderToken(job.token()), job.folder());
    try (ShmHeap heap = ShmHeap.create(folder, job.pe(), 2 * most)) {
      if (!heap.backing().reserve(0, 2 * most)) {
        throw new IllegalStateException(
            "%s has no room for %d bytes: ask for smaller --sizes"
                .formatted(job.folder(), 2 * most));
      }
      PeLine.print("device", "host memory", "", "", 0);
      List<RandomContent> contents = new ArrayList<>();
      for (int pe = 0; pe < job.peCount(); pe++) {
        contents.add(new RandomContent(seed, pe));
      }
      contents.get(job.pe()).write(0, heap.local().asSlice(0, most));
      for (boolean pull : new boolean[] {true, false}) {
        for (long bytes : sizes) {
          MemorySegment receive = heap.local().asSlice(most, bytes);
          receive.fill((byte) 0);
          barrier(heap);
          exchange(heap, pull, most, bytes, Repetitions.warmUps(bytes));
          barrier(heap);
          long start = System.nanoTime();
          int times = Math.min(20, Repetitions.of(bytes));
          exchange(heap, pull, most, bytes, times);
          double microseconds = (System.nanoTime() - start) / 1e3 / times;
          heap.quiet();
          barrier(heap);
          PeLine.print(
              "result", pull ? "pull" : "push", bytes, microseconds, 0, verify(receive, contents));
          barrier(heap);
        }
      }
    }
  }

  private void exchange(ShmHeap heap, boolean pull, long most, long bytes, int times) {
    long block = bytes / job.peCount();
    int me = job.pe();
    for (int i = 0; i < times; i++) {
      for (int k = 0; k < job.peCount(); k++) {
        int pe = (me + 1 + k) % job.peCount();
        if (pull) {
          heap.get(pe, me * block, heap.local().asSlice(most + pe * block, block));
        } else {
          heap.put(pe, most + me * block, heap.local().asSlice(pe * block, block));
        }
      }
    }
  }

  private boolean verify(MemorySegment receive, List<RandomContent> contents) {
    long block = receive.byteSize() / job.peCount();
    for (int pe = 0; pe < job.peCount(); pe++) {
      if (!contents.get(pe).matches(job.pe() * block, receive.asSlice(pe * block, block))) {
        return false;
      }
    }
    return true;
  }

  private void barrier(ShmHeap heap) throws TimeoutException {
    heap.barrier(job.peCount(), PeGpu.LIMIT);
  }
}
