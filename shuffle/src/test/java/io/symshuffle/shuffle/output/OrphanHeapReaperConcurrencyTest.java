// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.runtime.ShuffleConfig;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Living PEs read the map outputs of a dead PE while one of them frees these, shuffle by shuffle.
 */
@ExtendWith(SeededRandom.class)
class OrphanHeapReaperConcurrencyTest {
  private static final int SHUFFLES = 8;
  private static final int MAPS = 6;
  private static final int PARTITIONS = 20;

  /** Reads before each shuffle is unregistered; on an idle machine they take about 0.2 s. */
  private static final int READS_PER_SHUFFLE = 60;

  @TempDir Path base;

  @Test
  void keepsLeasedMemoryAndFreesEverythingAtTheEnd(Random random) throws Exception {
    HeapFolder folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    List<ShuffleRuntime> living = new ArrayList<>();
    ShuffleRuntime dead = join(folder, 0);
    for (int pe = 1; pe <= 3; pe++) {
      living.add(join(folder, pe));
    }
    Map<MapOutputId, Records> written = new HashMap<>();
    for (int map = 0; map < SHUFFLES * MAPS; map++) {
      MapOutputId id = new MapOutputId(map % SHUFFLES, map);
      written.put(id, publish(dead, id, random));
    }
    dead.close();
    AtomicBoolean stop = new AtomicBoolean();
    AtomicInteger reads = new AtomicInteger();
    try (var threads = Executors.newCachedThreadPool()) {
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
        await("the readers are too slow", () -> reads.get() >= enough);
        int ended = shuffle;
        living.forEach(runtime -> runtime.ended(ended, Long.MAX_VALUE));
      }
      await("the dead PE's heap was not removed", () -> Files.notExists(folder.heapFile(0)));
      stop.set(true);
      for (Future<Void> reader : readers) {
        reader.get(120, TimeUnit.SECONDS);
      }
    } finally {
      living.forEach(ShuffleRuntime::close);
      folder.remove();
    }
  }

  private static void await(String failure, BooleanSupplier condition) throws InterruptedException {
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < limit, failure);
      TimeUnit.MILLISECONDS.sleep(10);
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

  private static ShuffleRuntime join(HeapFolder folder, int pe) throws IOException {
    return ShuffleRuntime.start(
        new ShuffleConfig(1 << 20, true, true, 0),
        HostHeap.create(folder, pe, ShuffleRuntime.windowBytes(8 << 20)),
        folder.diskFolders(pe),
        id -> OptionalInt.empty(),
        new ShuffleStats());
  }

  private static Records publish(ShuffleRuntime owner, MapOutputId id, Random random)
      throws IOException {
    RowOutputBuilder sink = owner.store().buildRows(id, PARTITIONS);
    Records all = new Records();
    for (Tier tier : List.of(Tier.HOST, Tier.DISK)) {
      Records run = Records.random(random, 200, PARTITIONS, 200);
      run.writeRun(sink, tier);
      all.addAll(run);
    }
    sink.commit();
    return all;
  }
}
