// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.pe;

import io.symshuffle.cli.pe.PeArguments;
import io.symshuffle.cli.pe.PeLine;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HostHeap;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Pulls through shared memory: each PE works on one thread. A window has the data that its PE
 * sends, the data that it receives, and the number of barriers that it has reached.
 */
final class ShmRun {
  private final PeArguments job;
  private final long seed;

  ShmRun(PeArguments job, long seed) {
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
      Contents contents = Contents.of(seed, job.pe(), job.peCount());
      contents.sent().write(0, heap.local().asSlice(0, most));
      for (long bytes : sizes) {
        MemorySegment receive = heap.local().asSlice(most, bytes);
        receive.fill((byte) 0);
        barrier.await();
        repeat(heap, most, bytes, Repetitions.warmUps(bytes));
        barrier.await();
        long start = System.nanoTime();
        int times = Math.min(20, Repetitions.of(bytes));
        repeat(heap, most, bytes, times);
        double microseconds = (System.nanoTime() - start) / 1e3 / times;
        barrier.await();
        boolean right =
            contents.areIn(
                bytes,
                (at, length, content, offset) ->
                    content.matches(offset, receive.asSlice(at, length)));
        PeLine.print("result", "pull", bytes, microseconds, 0, right);
        barrier.await();
      }
    }
  }

  private void repeat(HostHeap heap, long most, long bytes, int times) {
    List<MemorySegment> windows =
        IntStream.range(0, job.peCount()).mapToObj(pe -> heap.peer(pe).orElseThrow()).toList();
    for (int i = 0; i < times; i++) {
      pull(windows, most, bytes / job.peCount());
    }
  }

  private void pull(List<MemorySegment> windows, long most, long block) {
    int me = job.pe();
    for (int k = 0; k < job.peCount(); k++) {
      int from = (me + 1 + k) % job.peCount();
      MemorySegment.copy(
          windows.get(from), me * block, windows.get(me), most + from * block, block);
    }
  }

  /** Returns the offset of the number of barriers, after the data. */
  private static long counterOffset(long most) {
    return (2 * most + 63) & -64;
  }
}
