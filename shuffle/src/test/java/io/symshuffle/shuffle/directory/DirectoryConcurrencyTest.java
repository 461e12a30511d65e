// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.SlabBacking;
import io.symshuffle.shuffle.fixture.InParallel;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.OutputKind;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Readers use the directory while the owner publishes and erases. */
@ExtendWith(SeededRandom.class)
class DirectoryConcurrencyTest {
  private static final Duration TIME = Duration.ofMillis(1_500);

  @AutoClose private final Windows windows = new Windows();

  @Test
  void readersSeeOnlyPublishedPlaces(Random random) throws Exception {
    // Few map outputs, so that each changes often. The even ones stay published and must always be
    // found.
    int names = 64;
    MemorySegment window = windows.add(0);
    ControlView.create(window, List.of(Path.of("/disk")));
    Directory directory = new Directory(window, SlabBacking.none());
    for (int map = 0; map < names; map += 2) {
      directory.publish(id(map), place(map, 1));
    }
    long seed = random.nextLong();
    InParallel.run(
        stop -> change(directory, names, new Random(seed)),
        stop -> read(ControlView.open(window), names, new Random(seed + 1), stop),
        stop -> read(ControlView.open(window), names, new Random(seed + 2), stop));
  }

  @Test
  void readersFindEntriesWhileTheDirectoryGrows(Random random) throws Exception {
    MemorySegment window = windows.add(0);
    ControlView.create(window, List.of(Path.of("/disk")));
    Directory directory = new Directory(window, SlabBacking.none());
    long seed = random.nextLong();
    int[] published = {0};
    Object lock = new Object();
    InParallel.run(
        stop -> {
          for (int map = 0; map < 100_000 && !stop.get(); map++) {
            directory.publish(id(map), place(map, 1));
            synchronized (lock) {
              published[0] = map + 1;
            }
          }
        },
        stop -> {
          Random picks = new Random(seed);
          ControlView view = ControlView.open(window);
          while (!stop.get()) {
            int count;
            synchronized (lock) {
              count = published[0];
            }
            if (count > 0) {
              int map = picks.nextInt(count);
              Optional<IndexPlace> found = view.find(id(map)).map(DirectoryEntry::place);
              assertEquals(Optional.of(place(map, 1)), found);
            }
          }
        });
  }

  /**
   * Publishes and erases the odd map outputs; each publication has the next generation in its
   * place.
   */
  private static void change(Directory directory, int names, Random random) {
    long[] generations = new long[names];
    boolean[] there = new boolean[names];
    long end = System.nanoTime() + TIME.toNanos();
    while (System.nanoTime() < end) {
      int map = random.nextInt(names / 2) * 2 + 1;
      if (there[map]) {
        directory.erase(id(map));
      } else {
        directory.publish(id(map), place(map, ++generations[map]));
      }
      there[map] = !there[map];
    }
  }

  private static void read(ControlView view, int names, Random random, AtomicBoolean stop) {
    long[] seen = new long[names];
    while (!stop.get()) {
      int map = random.nextInt(names);
      Optional<IndexPlace> found = view.find(id(map)).map(DirectoryEntry::place);
      assertTrue(found.isPresent() || map % 2 == 1, () -> "lost map output " + map);
      if (found.isPresent()) {
        long generation = found.get().offset() >> 6;
        assertEquals(place(map, generation), found.get());
        assertTrue(generation >= seen[map], "an older place was found again");
        seen[map] = generation;
      }
    }
  }

  private static MapOutputId id(int map) {
    return new MapOutputId(3, map);
  }

  private static IndexPlace place(int map, long generation) {
    return new IndexPlace(
        map % 2 == 0 ? OutputKind.ROWS : OutputKind.TABLES,
        generation % 2 == 0 ? Tier.HOST : Tier.DISK,
        generation << 6,
        (long) map << 32 | 1);
  }
}
