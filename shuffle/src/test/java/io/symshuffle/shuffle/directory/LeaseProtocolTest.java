// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.symshuffle.heap.SlabBacking;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.OutputKind;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.read.InParallel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The promise of leases: what a reader finds while it holds one stays as it is until the lease is
 * closed, although the owner frees and overwrites as fast as it may.
 */
class LeaseProtocolTest {
  private static final long ROUNDS = 150_000;
  private static final long LIMIT_NANOS = 3_000_000_000L;
  private static final int SHUFFLE = 4;
  private static final MapOutputId ID = new MapOutputId(SHUFFLE, 9);
  private static final long WORDS = 16;

  private final Windows windows = new Windows();
  private final MemorySegment owner = windows.add(1 << 16);
  private final MemorySegment reader = windows.add(0);
  private final AtomicLong found = new AtomicLong();
  private final AtomicLong waited = new AtomicLong();

  @AfterEach
  void end() {
    windows.close();
  }

  @Test
  void keepsMapOutputUntilLeaseIsClosed() throws Exception {
    ControlView.create(owner, Path.of("/disk"));
    ControlView.create(reader, Path.of("/disk"));
    Directory directory = new Directory(owner, SlabBacking.none());
    LeaseTable leases = new LeaseTable(reader);
    InParallel.run(
        stop -> publishAndFree(directory, stop),
        stop -> readAgain(leases, stop, false),
        stop -> readAgain(leases, stop, true));
    assertTrue(found.get() > 100, () -> "only %d reads met a map output".formatted(found.get()));
    assertTrue(waited.get() > 10, () -> "the owner waited only %d times".formatted(waited.get()));
  }

  private void publishAndFree(Directory directory, AtomicBoolean stop) {
    ControlView readers = ControlView.open(reader);
    long end = System.nanoTime() + LIMIT_NANOS;
    for (long generation = 1;
        generation <= ROUNDS && !stop.get() && System.nanoTime() < end;
        generation++) {
      for (long word = 0; word < WORDS; word++) {
        owner.set(ValueLayout.JAVA_LONG, at(word), generation);
      }
      directory.publish(ID, new IndexPlace(OutputKind.ROWS, Tier.HOST, at(0), generation));
      for (long pause = generation % 50; pause > 0; pause--) {
        Thread.onSpinWait();
      }
      directory.erase(ID);
      long limit = System.nanoTime() + 10_000_000_000L;
      boolean leased = false;
      while (readers.isLeased(SHUFFLE)) {
        leased = true;
        if (System.nanoTime() > limit) {
          fail("the lease never ends");
        }
      }
      waited.addAndGet(leased ? 1 : 0);
    }
  }

  private void readAgain(LeaseTable leases, AtomicBoolean stop, boolean remember) {
    ControlView view = ControlView.open(owner);
    Optional<DirectoryEntry> known = Optional.empty();
    while (!stop.get()) {
      try (Lease _ = leases.acquire(SHUFFLE)) {
        // As tasks do it: what was found under an earlier lease is asked for again.
        if (!remember || known.isEmpty() || !view.isCurrent(known.get())) {
          known = view.find(ID);
        }
        if (known.isPresent()) {
          found.incrementAndGet();
          long generation = known.get().place().bytes();
          for (int look = 0; look < 3; look++) {
            for (long word = 0; word < WORDS; word++) {
              assertEquals(generation, owner.get(ValueLayout.JAVA_LONG, at(word)));
            }
          }
        }
      }
      // Without a pause some reader would always hold the lease.
      for (int pause = 0; pause < 100; pause++) {
        Thread.onSpinWait();
      }
    }
  }

  private static long at(long word) {
    return ControlDescriptor.BYTES + word * Long.BYTES;
  }
}
