// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.history;

import io.symshuffle.shuffle.directory.MapOutputId;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Appends events to a sparse file that is mapped, so that those of a killed process are kept. When
 * the file is full, further events are only counted. Thread-safe and lock-free.
 */
final class HistoryWriter {
  private final MemorySegment memory;
  private final long capacity;

  /**
   * @param bytes its maximum size
   * @throws IOException if it exists, or cannot be created
   */
  HistoryWriter(Path file, long bytes) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, Arena.ofAuto());
    }
    capacity = HistoryLayout.capacity(bytes);
    HistoryLayout.create(memory);
  }

  /** Records an event about a shuffle. */
  void shuffle(EventKind kind, int shuffleId) {
    append(new Event(kind, System.nanoTime(), Event.ANY_PE, shuffleId, 0, 0, 0));
  }

  /** Records an event about a map output. */
  void output(EventKind kind, int pe, MapOutputId id) {
    bytes(kind, pe, id, 0, 0);
  }

  /** Records an event about bytes of a map output. */
  void bytes(EventKind kind, int pe, MapOutputId id, long offset, long bytes) {
    append(new Event(kind, System.nanoTime(), pe, id.shuffleId(), id.mapId(), offset, bytes));
  }

  /** Records an event about bytes of a window. */
  void window(EventKind kind, int pe, long offset, long bytes) {
    append(new Event(kind, System.nanoTime(), pe, 0, 0, offset, bytes));
  }

  void append(Event event) {
    long number = HistoryLayout.claim(memory);
    if (number < capacity) {
      HistoryLayout.write(memory, number, event);
    }
  }
}
