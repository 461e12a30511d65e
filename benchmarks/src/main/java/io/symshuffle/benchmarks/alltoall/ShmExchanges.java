// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.alltoall;

import io.symshuffle.cli.pe.PeArguments;
import io.symshuffle.cli.pe.PeLine;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HostHeap;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Pull and push through shared memory: each PE copies on one thread. A window has the data that its
 * PE sends, the data that it receives, and the number of barriers that it has reached.
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
    HeapFolder folder =
        HeapFolder.open(job.folder(), new FolderToken(job.token()), List.of(job.folder()));
    try (HostHeap heap = HostHeap.create(folder, job.pe(), counterOffset(most) + Long.BYTES)) {
      if (!heap.backing().reserve(0, counterOffset(most) + Long.BYTES)) {
        throw new IllegalStateException(
            "%s has no space for %d bytes: use smaller --sizes".formatted(job.folder(), 2 * most));
      }
      HostBarrier barrier = new HostBarrier(heap, counterOffset(most), job.peCount());
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
          barrier.await();
          exchange(heap, pull, most, bytes, Repetitions.warmUps(bytes));
          barrier.await();
          long start = System.nanoTime();
          int times = Math.min(20, Repetitions.of(bytes));
          exchange(heap, pull, most, bytes, times);
          double microseconds = (System.nanoTime() - start) / 1e3 / times;
          barrier.await();
          PeLine.print(
              "result", pull ? "pull" : "push", bytes, microseconds, 0, verify(receive, contents));
          barrier.await();
        }
      }
    }
  }

  private void exchange(HostHeap heap, boolean pull, long most, long bytes, int times) {
    long block = bytes / job.peCount();
    int me = job.pe();
    for (int i = 0; i < times; i++) {
      for (int k = 0; k < job.peCount(); k++) {
        int pe = (me + 1 + k) % job.peCount();
        MemorySegment peer = heap.peer(pe).orElseThrow();
        if (pull) {
          MemorySegment.copy(peer, me * block, heap.local(), most + pe * block, block);
        } else {
          MemorySegment.copy(heap.local(), pe * block, peer, most + me * block, block);
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

  /** Returns the offset of the number of barriers, after the data. */
  private static long counterOffset(long most) {
    return (2 * most + 63) & -64;
  }
}
