// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.Slab;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.heap.host.WindowCopies;
import io.symshuffle.shuffle.compress.Codec;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeapStorageTest {
  private static final int RUN_BYTES = 300_000;

  @TempDir Path base;

  private HostHeap heap() {
    return HostHeap.create(HeapFolder.open(base, FolderToken.random(), List.of(base)), 0, 4L << 20);
  }

  private HeapStorage storage(HostHeap heap, WindowCopies copies) {
    return new HeapStorage(
        heap.local(),
        new SlabAllocator(0, 4L << 20, heap.backing(), 0),
        Optional.empty(),
        new DiskFolders(List.of(base), Optional.empty(), Codec.NONE),
        Optional.of(copies));
  }

  @Test
  void aRunThatIsCopiedIsInTheMappedWindow() throws IOException {
    try (HostHeap heap = heap();
        Arena arena = Arena.ofConfined()) {
      HeapStorage storage = storage(heap, heap.copying());
      for (int round = 1; round <= 3; round++) {
        MemorySegment run = arena.allocate(RUN_BYTES);
        run.fill((byte) round);
        Slab slab = storage.allocateHost(RUN_BYTES).orElseThrow();
        MemorySegment to = storage.window().asSlice(slab.offset(), RUN_BYTES);
        storage.write(run, to);
        assertEquals(-1, to.mismatch(run), "round " + round);
      }
    }
  }

  @Test
  void aRunWhoseCopyFailsIsInTheMappedWindow() throws IOException {
    try (HostHeap heap = heap();
        Arena arena = Arena.ofConfined()) {
      HeapStorage storage =
          storage(
              heap,
              new WindowCopies() {
                @Override
                public void read(int pe, long offset, MemorySegment to) {
                  throw new UnsupportedOperationException();
                }

                @Override
                public void write(long offset, MemorySegment from) {
                  throw new HeapException("cannot write to this PE's heap: EFBIG");
                }
              });
      Slab slab = storage.allocateHost(RUN_BYTES).orElseThrow();
      MemorySegment to = storage.window().asSlice(slab.offset(), RUN_BYTES);
      MemorySegment run = arena.allocate(RUN_BYTES);
      run.fill((byte) 7);
      storage.write(run, to);
      assertEquals(-1, to.mismatch(run));
    }
  }
}
