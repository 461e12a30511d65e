// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.fixture.Runtimes;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.DirectoryEntryDescriptor;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Living PEs read the map outputs of a dead PE while one of them frees these, shuffle by shuffle.
 * One map output of each shuffle has lost its entry before: it names a shuffle that never ends.
 */
@ExtendWith(SeededRandom.class)
class OrphanHeapReaperConcurrencyTest {
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private static final int SHUFFLES = 8;
  private static final int MAPS = 6;

  /** Reads before each shuffle is unregistered; on an idle machine they take about 0.2 s. */
  private static final int READS_PER_SHUFFLE = 60;

  @TempDir Path base;

  @Test
  void keepsLeasedMemoryAndFreesEverythingAtTheEnd(Random random) throws Exception {
    HeapFolder folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    List<ShuffleRuntime> living = new ArrayList<>();
    ShuffleRuntime dead = Runtimes.start(folder, 0, 8 << 20);
    for (int pe = 1; pe <= 3; pe++) {
      living.add(Runtimes.start(folder, pe, 8 << 20));
    }
    Map<MapOutputId, Records> written = new HashMap<>();
    for (int map = 0; map < SHUFFLES * MAPS; map++) {
      MapOutputId id = new MapOutputId(map % SHUFFLES, map);
      written.put(id, OrphanHeapReaperTest.write(dead, id, random));
    }
    dead.close();
    AtomicBoolean stop = new AtomicBoolean();
    AtomicInteger reads = new AtomicInteger();
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<Future<Void>> readers = new ArrayList<>();
      for (ShuffleRuntime runtime : living) {
        Random own = new Random(random.nextLong());
        Callable<Void> reader =
            () -> {
              while (!stop.get()) {
                read(runtime, written, own, reads);
              }
              return null;
            };
        readers.add(threads.submit(reader));
      }
      for (int shuffle = 0; shuffle < SHUFFLES; shuffle++) {
        int enough = reads.get() + READS_PER_SHUFFLE;
        MapOutputId damaged = new MapOutputId(shuffle, shuffle + SHUFFLES * random.nextInt(MAPS));
        assertTrue(
            OrphanHeapReaperTest.damage(
                living.getFirst().heap(), damaged, DirectoryEntryDescriptor.SHUFFLE_ID_OFFSET));
        await().atMost(LIMIT).until(() -> reads.get() >= enough);
        int ended = shuffle;
        living.forEach(runtime -> runtime.ended(ended, Long.MAX_VALUE));
      }
      await().atMost(LIMIT).until(() -> Files.notExists(folder.heapFile(0)));
      stop.set(true);
      for (Future<Void> reader : readers) {
        reader.get(120, TimeUnit.SECONDS);
      }
    } finally {
      stop.set(true);
      threads.close();
      living.forEach(ShuffleRuntime::close);
      folder.remove();
    }
  }

  private static void read(
      ShuffleRuntime runtime, Map<MapOutputId, Records> written, Random random, AtomicInteger reads)
      throws Exception {
    int map = random.nextInt(SHUFFLES * MAPS);
    MapOutputId id = new MapOutputId(map % SHUFFLES, map);
    Lease lease = runtime.leases().acquire(id.shuffleId());
    try (lease) {
      Optional<MapOutput> found = runtime.outputs().find(0, id);
      if (found.isPresent()) {
        // Give the shuffle time to be unregistered in between.
        TimeUnit.MILLISECONDS.sleep(random.nextInt(20));
        Records.read(found.get(), true).assertSameAs(written.get(id));
        reads.incrementAndGet();
      }
    }
  }
}
