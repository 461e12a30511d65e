// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.history;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The events of one executor.
 *
 * @param events by time
 * @param isComplete false if there was no room for all
 */
record History(String name, List<Event> events, boolean isComplete) {
  History {
    events = events.stream().sorted(Comparator.comparingLong(Event::time)).toList();
  }

  /**
   * Reads all histories in a folder. Those of killed processes end with their last whole event.
   *
   * @throws IOException if a file cannot be read, or is no history
   */
  static List<History> readAll(Path folder) throws IOException {
    List<History> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        all.add(read(file));
      }
    }
    return all;
  }

  private static History read(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        Arena arena = Arena.ofConfined()) {
      MemorySegment memory = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      HistoryLayout.check(memory, file);
      long claimed = HistoryLayout.claimed(memory);
      long stored = Math.min(claimed, HistoryLayout.capacity(memory.byteSize()));
      List<Event> events = new ArrayList<>();
      for (long number = 0; number < stored; number++) {
        HistoryLayout.read(memory, number).ifPresent(events::add);
      }
      return new History(file.getFileName().toString(), events, claimed == stored);
    }
  }
}
