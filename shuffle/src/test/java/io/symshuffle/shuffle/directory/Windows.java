// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.SymmetricHeap;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Windows for tests: all zero, page aligned, for all threads, and sparse, since nearly all of a
 * control region is never touched. A heap over several of them stands for several PEs.
 */
public final class Windows implements AutoCloseable {
  private final Arena arena = Arena.ofShared();
  private final List<MemorySegment> windows = new ArrayList<>();
  private final Set<Integer> damaged = new HashSet<>();

  /** A new window with an arena of so many bytes; its PE is the number of windows before it. */
  public MemorySegment add(long arenaBytes) {
    try {
      Path file = Files.createTempFile("window", null);
      try (FileChannel channel =
          FileChannel.open(
              file,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.DELETE_ON_CLOSE)) {
        MemorySegment window =
            channel.map(MapMode.READ_WRITE, 0, ControlDescriptor.BYTES + arenaBytes, arena);
        windows.add(window);
        return window;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** From now on there is something in a PE's place that is not its window. */
  public void damage(int pe) {
    damaged.add(pe);
  }

  /** A PE's view of all windows: those added later, too. */
  public SymmetricHeap heap(int pe) {
    return new Heap(pe);
  }

  @Override
  public void close() {
    arena.close();
  }

  private final class Heap implements SymmetricHeap {
    private final int pe;

    Heap(int pe) {
      this.pe = pe;
    }

    @Override
    public int myPe() {
      return pe;
    }

    @Override
    public long size() {
      return local().byteSize();
    }

    @Override
    public MemorySegment local() {
      return windows.get(pe);
    }

    @Override
    public Optional<MemorySegment> peer(int other) {
      if (damaged.contains(other)) {
        throw new HeapException("the file of PE " + other + " is no heap");
      }
      return other < windows.size() ? Optional.of(windows.get(other)) : Optional.empty();
    }

    @Override
    public void get(int other, long offset, MemorySegment destination) {
      throw new UnsupportedOperationException("get");
    }

    @Override
    public void put(int other, long offset, MemorySegment source) {
      throw new UnsupportedOperationException("put");
    }

    @Override
    public void quiet() {}

    @Override
    public void barrier(int peCount, Duration limit) {
      throw new UnsupportedOperationException("barrier");
    }

    @Override
    public void close() {}
  }
}
