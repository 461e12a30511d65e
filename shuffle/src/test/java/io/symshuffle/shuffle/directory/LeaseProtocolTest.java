// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.SlabBacking;
import io.symshuffle.shuffle.fixture.InParallel;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.OutputKind;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/**
 * Leases protect map outputs: data that a reader finds while it holds a lease stays unchanged until
 * the lease is closed, although the owner frees and overwrites it as soon as it may.
 *
 * <p>Every {@value #MEETING_INTERVAL}th map output is erased only after a reader has found it, and
 * that reader keeps its lease until the owner has seen it, however slow the machine is. In between,
 * owner and readers run freely.
 */
class LeaseProtocolTest {
  private static final long MIN_ROUNDS = 1_000;
  private static final long MAX_ROUNDS = 150_000;
  private static final long MEETING_INTERVAL = 10;
  private static final long TIME_NANOS = 3_000_000_000L;
  private static final long LIMIT_NANOS = 120_000_000_000L;
  private static final int SHUFFLE = 4;
  private static final MapOutputId ID = new MapOutputId(SHUFFLE, 9);
  private static final long WORDS = 16;

  @AutoClose private final Windows windows = new Windows();
  private final MemorySegment owner = windows.add(1 << 16);
  private final MemorySegment reader = windows.add(0);
  private final AtomicLong found = new AtomicLong();
  private final AtomicLong waited = new AtomicLong();

  /** The last map output that a reader must find before it is erased. */
  private final AtomicLong meeting = new AtomicLong();

  /** The last such map output that a reader has found. */
  private final AtomicLong met = new AtomicLong();

  /** The last such map output whose lease the owner has seen. */
  private final AtomicLong seen = new AtomicLong();

  @Test
  void keepsMapOutputUntilLeaseIsClosed() throws Exception {
    ControlView.create(owner, List.of(Path.of("/disk")));
    ControlView.create(reader, List.of(Path.of("/disk")));
    Directory directory = new Directory(owner, SlabBacking.none());
    LeaseTable leases = new LeaseTable(reader);
    InParallel.run(
        stop -> publishAndFree(directory, stop),
        stop -> readAgain(leases, stop, false),
        stop -> readAgain(leases, stop, true));
    long meetings = MIN_ROUNDS / MEETING_INTERVAL;
    assertTrue(
        found.get() >= meetings, () -> "only %d reads found a map output".formatted(found.get()));
    assertTrue(
        waited.get() >= meetings, () -> "the owner waited only %d times".formatted(waited.get()));
  }

  private void publishAndFree(Directory directory, AtomicBoolean stop) {
    ControlView readers = ControlView.open(reader);
    long end = System.nanoTime() + TIME_NANOS;
    for (long generation = 1;
        !stop.get()
            && (generation <= MIN_ROUNDS || (generation <= MAX_ROUNDS && System.nanoTime() < end));
        generation++) {
      boolean meets = generation % MEETING_INTERVAL == 0;
      if (meets) {
        meeting.set(generation);
      }
      for (long word = 0; word < WORDS; word++) {
        owner.set(ValueLayout.JAVA_LONG, at(word), generation);
      }
      directory.publish(ID, new IndexPlace(OutputKind.ROWS, Tier.HOST, at(0), generation));
      if (meets) {
        long last = generation;
        await("no reader found the map output", () -> stop.get() || met.get() == last);
      }
      for (long pause = generation % 50; pause > 0; pause--) {
        Thread.onSpinWait();
      }
      directory.erase(ID);
      boolean leased = readers.isLeased(SHUFFLE);
      if (meets) {
        assertTrue(leased || stop.get(), "the owner does not see the reader's lease");
        seen.set(generation);
      }
      await("the lease was never closed", () -> !readers.isLeased(SHUFFLE));
      waited.addAndGet(leased ? 1 : 0);
    }
  }

  private static void await(String failure, BooleanSupplier condition) {
    long limit = System.nanoTime() + LIMIT_NANOS;
    for (int spin = 1; !condition.getAsBoolean(); spin++) {
      assertTrue(System.nanoTime() < limit, failure);
      if (spin % 1000 == 0) {
        // There may be fewer processors than threads.
        LockSupport.parkNanos(1_000);
      } else {
        Thread.onSpinWait();
      }
    }
  }

  private void readAgain(LeaseTable leases, AtomicBoolean stop, boolean remember) {
    ControlView view = ControlView.open(owner);
    Optional<DirectoryEntry> known = Optional.empty();
    while (!stop.get()) {
      Lease lease = leases.acquire(SHUFFLE);
      try (lease) {
        // Like a task, check an entry again that was found under an earlier lease.
        if (!remember || known.isEmpty() || !view.isCurrent(known.get())) {
          known = view.find(ID);
        }
        if (known.isPresent()) {
          found.incrementAndGet();
          long generation = known.get().place().bytes();
          if (generation == meeting.get() && met.getAndSet(generation) != generation) {
            await(
                "the owner did not check the leases", () -> stop.get() || seen.get() >= generation);
          }
          for (int pass = 0; pass < 3; pass++) {
            for (long word = 0; word < WORDS; word++) {
              assertEquals(generation, owner.get(ValueLayout.JAVA_LONG, at(word)));
            }
          }
        }
      }
      // Without a pause, some reader would always hold the lease.
      for (int pause = 0; pause < 100; pause++) {
        Thread.onSpinWait();
      }
    }
  }

  private static long at(long word) {
    return ControlDescriptor.BYTES + word * Long.BYTES;
  }
}
