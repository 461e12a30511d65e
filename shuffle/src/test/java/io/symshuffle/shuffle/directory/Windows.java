// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import io.symshuffle.heap.HeapException;
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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;

/**
 * Windows for tests: all zero, page aligned, accessible to all threads, and sparse, since most of a
 * control region is never touched. Each window represents a PE.
 */
public final class Windows implements AutoCloseable {
  private final Arena arena = Arena.ofShared();
  private final List<MemorySegment> windows = new ArrayList<>();
  private final Set<Integer> damaged = new HashSet<>();

  /**
   * Adds a window with an arena of {@code arenaBytes} bytes; its PE is the number of windows before
   * it.
   */
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

  /** Makes access to a PE's window fail from now on. */
  public void damage(int pe) {
    damaged.add(pe);
  }

  /** A PE's view of all windows, including those added later. */
  public IntFunction<Optional<MemorySegment>> heap(int pe) {
    return this::window;
  }

  private Optional<MemorySegment> window(int pe) {
    if (damaged.contains(pe)) {
      throw new HeapException("the file of PE " + pe + " is not a heap");
    }
    return pe < windows.size() ? Optional.of(windows.get(pe)) : Optional.empty();
  }

  @Override
  public void close() {
    arena.close();
  }
}
