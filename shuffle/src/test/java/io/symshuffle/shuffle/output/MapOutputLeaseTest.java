// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.LeaseTable;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.fixture.InParallel;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tasks of one PE read map outputs of another PE, which writes, unregisters and frees them; freed
 * memory is reused immediately.
 */
@ExtendWith(SeededRandom.class)
class MapOutputLeaseTest {
  private static final long TIME_NANOS = 3_000_000_000L;
  private static final long LIMIT_NANOS = 200_000_000_000L;
  private static final int MIN_READS = 100;
  private static final int SHUFFLES = 3;
  private static final int MAPS = 4;
  private static final int RUN_BYTES = 1024;

  @TempDir Path disk;
  @AutoClose private final Windows windows = new Windows();
  private final AtomicLong found = new AtomicLong();

  @Test
  void neverFreesMemoryThatTaskReads(Random random) throws Exception {
    IntPredicate[] leased = {shuffle -> true};
    // Space for few map outputs, so that freed memory is reused immediately.
    Owner owner = Owner.add(windows, 64 << 10, disk, shuffle -> leased[0].test(shuffle));
    MemorySegment reader = windows.add(0);
    ControlView.create(reader, List.of(disk));
    leased[0] = ControlView.open(reader)::isLeased;
    LeaseTable leases = new LeaseTable(reader);
    MapOutputs outputs = new MapOutputs(windows.heap(1));
    long seed = random.nextLong();
    InParallel.run(
        stop -> write(owner, new Random(seed), stop),
        stop -> read(outputs, leases, new Random(seed + 1), stop),
        stop -> read(outputs, leases, new Random(seed + 2), stop));
    assertTrue(
        found.get() >= MIN_READS, () -> "only %d reads found a map output".formatted(found.get()));
    for (int shuffle = 0; shuffle < SHUFFLES; shuffle++) {
      owner.store.unregister(shuffle);
    }
    assertEquals(0, owner.store.reclaim());
    assertEquals(0, owner.used());
    assertEquals(0, leases.size());
  }

  /** Writes for some time, and until the readers have found enough map outputs. */
  private void write(Owner owner, Random random, AtomicBoolean stop) throws Exception {
    long start = System.nanoTime();
    long nanos = 0;
    MemorySegment run = Arena.ofAuto().allocate(RUN_BYTES, Long.BYTES);
    for (long attempt = 0;
        !stop.get() && (nanos < TIME_NANOS || (found.get() < MIN_READS && nanos < LIMIT_NANOS));
        attempt++) {
      nanos = System.nanoTime() - start;
      int shuffle = random.nextInt(SHUFFLES);
      MapOutputId id = new MapOutputId(shuffle, attempt % MAPS);
      owner.store.unregister(shuffle);
      owner.store.reclaim();
      RowOutputBuilder output = owner.store.buildRows(id, 1);
      run.fill((byte) attempt);
      if (output.addHostRun(run, block((byte) attempt))) {
        output.commit();
      } else {
        output.abort();
      }
    }
  }

  /** The index contains the pattern as the checksum. */
  private static BlockTable block(byte pattern) {
    return new BlockTable(1, new int[] {0}, new int[] {0, RUN_BYTES / 8}, new int[] {pattern});
  }

  private void read(MapOutputs outputs, LeaseTable leases, Random random, AtomicBoolean stop)
      throws Exception {
    while (!stop.get()) {
      int shuffle = random.nextInt(SHUFFLES);
      Lease lease = leases.acquire(shuffle);
      try (lease) {
        Optional<MapOutput> output =
            outputs.find(0, new MapOutputId(shuffle, random.nextInt(MAPS)));
        if (output.isPresent()) {
          found.incrementAndGet();
          check(output.get().rows());
        }
      }
      for (int pause = random.nextInt(200); pause > 0; pause--) {
        Thread.onSpinWait();
      }
    }
  }

  private static void check(RowOutput output) {
    RunView run = output.index().run(0);
    assertEquals(Tier.HOST, run.tier());
    MemorySegment memory = output.hostRun(run);
    for (int pass = 0; pass < 2; pass++) {
      byte pattern = (byte) run.checksum(0);
      for (long at = 0; at < RUN_BYTES; at += 16) {
        if (memory.get(ValueLayout.JAVA_BYTE, at) != pattern) {
          fail("byte %d has changed under a lease".formatted(at));
        }
      }
    }
  }
}
