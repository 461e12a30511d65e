// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.stress;

import io.symshuffle.heap.SlabBacking;
import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.CorruptControlException;
import io.symshuffle.shuffle.directory.Directory;
import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.LeaseTable;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.OutputKind;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One of two processes that repeat a test of this package over windows in one shared mapping: an
 * owner of map outputs, or a reader. In each round both act at about the same time, by a random
 * offset of up to 200 ns. The owner prints how often each outcome has happened.
 */
final class SharedRounds {
  private static final long ARENA_BYTES = 64;
  private static final long OWNER_BYTES = ControlDescriptor.BYTES + ARENA_BYTES;
  private static final long MEETING = OWNER_BYTES + ControlDescriptor.BYTES;

  /** Size of the shared file. */
  static final long BYTES = MEETING + 4096;

  /** Words of the meeting; each has two cache lines. */
  private static final long OWNER_AT = MEETING;

  private static final long READER_AT = MEETING + 128;
  private static final long READER_SAW = MEETING + 256;
  private static final long LAST = MEETING + 384;

  /** However slow the machine is. */
  private static final int MIN_ROUNDS = 1_000;

  private static final int MAX_OFFSET = 255;
  private static final int SPINS = 2_000;
  private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(10);

  private static final IndexPlace BEFORE =
      new IndexPlace(OutputKind.ROWS, Tier.HOST, 1L << 40, 1 << 20);
  private static final IndexPlace AFTER = new IndexPlace(OutputKind.ROWS, Tier.DISK, 8, 1L << 41);
  private static final IndexPlace IN_ARENA =
      new IndexPlace(OutputKind.ROWS, Tier.HOST, ControlDescriptor.BYTES, 8);

  private final MemorySegment memory;
  private final MemorySegment window;
  private final boolean isOwner;
  private final Case rounds;

  /** Of the owner. */
  private Directory directory;

  private ControlView readers;

  /** Of the reader. */
  private LeaseTable leases;

  private ControlView view;
  private Lease lease;

  private long random = ProcessHandle.current().pid();

  /** What both do, and which outcomes are right: of the owner, then of the reader. */
  enum Case {
    /** See {@link PublishedEntry}: 0 not found, 1 found with its memory. */
    PUBLISHED("(0, [01])"),
    /** See {@link LeasedOutput}: 0 not leased, 1 leased; 0 not found, 1 found. */
    LEASED("(0, 0|1, [01])"),
    /** See {@link ReplacedEntry}: two reads, 0 erased, 1 the old place, 2 the new one. */
    REPLACED("(0, (0|2|10|11|12|22))");

    private final String right;

    Case(String right) {
      this.right = right;
    }

    boolean isRight(String outcome) {
      return outcome.matches(right);
    }
  }

  private SharedRounds(MemorySegment memory, Case rounds, boolean isOwner) {
    this.memory = memory;
    this.window = memory.asSlice(0, OWNER_BYTES);
    this.rounds = rounds;
    this.isOwner = isOwner;
  }

  /**
   * Runs rounds for some time, or until an outcome is wrong.
   *
   * @param arguments the shared file, a {@link Case}, {@code owner} or {@code reader}, and
   *     milliseconds
   */
  public static void main(String[] arguments) throws IOException {
    try (FileChannel file =
            FileChannel.open(
                Path.of(arguments[0]), StandardOpenOption.READ, StandardOpenOption.WRITE);
        Arena arena = Arena.ofShared()) {
      SharedRounds process =
          new SharedRounds(
              file.map(MapMode.READ_WRITE, 0, BYTES, arena),
              Case.valueOf(arguments[1]),
              arguments[2].equals("owner"));
      process.open();
      process.run(TimeUnit.MILLISECONDS.toNanos(Long.parseLong(arguments[3])));
    }
  }

  private void open() {
    MemorySegment own = isOwner ? window : memory.asSlice(OWNER_BYTES, ControlDescriptor.BYTES);
    ControlView.create(own, List.of(Path.of("/disk")));
    if (isOwner) {
      directory = new Directory(own, SlabBacking.none());
    } else {
      leases = new LeaseTable(own);
    }
    meet(1);
    if (isOwner) {
      readers = ControlView.open(memory.asSlice(OWNER_BYTES, ControlDescriptor.BYTES));
    } else {
      view = ControlView.open(window);
    }
  }

  private void run(long nanos) {
    Map<String, Long> outcomes = new TreeMap<>();
    long end = System.nanoTime() + nanos;
    boolean last = false;
    boolean wrong = false;
    for (int round = 1; !last; round++) {
      MapOutputId id = new MapOutputId(round, round);
      if (isOwner) {
        last = wrong || (round > MIN_ROUNDS && System.nanoTime() > end);
        store(LAST, last ? 1 : 0);
        prepare(id);
      }
      meet(2L * round);
      last = load(LAST) == 1;
      if (!isOwner && rounds == Case.LEASED) {
        // The owner's store takes longer if this process has the cache line, too.
        found(id, BEFORE, AFTER);
      }
      pause();
      int saw = isOwner ? own(id) : read(id);
      if (!isOwner) {
        store(READER_SAW, saw);
      }
      meet(2L * round + 1);
      if (isOwner) {
        String outcome = saw + ", " + load(READER_SAW);
        wrong |= outcomes.merge(outcome, 1L, Long::sum) == 1 && !rounds.isRight(outcome);
      }
      end(id);
    }
    if (isOwner) {
      System.out.printf(
          "%s: %d rounds, %d wrong: %s%n",
          rounds,
          outcomes.values().stream().mapToLong(Long::longValue).sum(),
          outcomes.entrySet().stream()
              .filter(outcome -> !rounds.isRight(outcome.getKey()))
              .mapToLong(Map.Entry::getValue)
              .sum(),
          outcomes);
    }
  }

  private void prepare(MapOutputId id) {
    if (rounds == Case.PUBLISHED) {
      window.set(ValueLayout.JAVA_LONG, IN_ARENA.offset(), 0);
    } else {
      directory.publish(id, BEFORE);
    }
  }

  private int own(MapOutputId id) {
    switch (rounds) {
      case PUBLISHED -> {
        window.set(ValueLayout.JAVA_LONG, IN_ARENA.offset(), id.mapId());
        directory.publish(id, IN_ARENA);
      }
      case LEASED -> {
        directory.erase(id);
        return readers.isLeased(id.shuffleId()) ? 1 : 0;
      }
      case REPLACED -> {
        directory.erase(id);
        directory.publish(id, AFTER);
      }
    }
    return 0;
  }

  private int read(MapOutputId id) {
    return switch (rounds) {
      case PUBLISHED -> {
        int found = found(id, IN_ARENA, AFTER);
        boolean right = window.get(ValueLayout.JAVA_LONG, IN_ARENA.offset()) == id.mapId();
        yield found == 1 && !right ? 5 : found;
      }
      case LEASED -> {
        lease = leases.acquire(id.shuffleId());
        yield view.find(id).isPresent() ? 1 : 0;
      }
      case REPLACED -> 10 * found(id, BEFORE, AFTER) + found(id, BEFORE, AFTER);
    };
  }

  /** Returns 0 for none, 1 or 2 for the first or second place, 3 for another, 4 for damage. */
  private int found(MapOutputId id, IndexPlace first, IndexPlace second) {
    try {
      Optional<IndexPlace> place = view.find(id).map(entry -> entry.place());
      return place.isEmpty()
          ? 0
          : place.get().equals(first) ? 1 : place.get().equals(second) ? 2 : 3;
    } catch (CorruptControlException e) {
      return 4;
    }
  }

  private void end(MapOutputId id) {
    if (isOwner && rounds != Case.LEASED) {
      directory.erase(id);
    } else if (!isOwner && rounds == Case.LEASED) {
      lease.close();
    }
  }

  /** Waits until the other process has come as far. */
  private void meet(long step) {
    store(isOwner ? OWNER_AT : READER_AT, step);
    long end = System.nanoTime() + LIMIT_NANOS;
    for (int spin = 0; load(isOwner ? READER_AT : OWNER_AT) < step; spin++) {
      if (spin < SPINS) {
        Thread.onSpinWait();
        continue;
      }
      if (System.nanoTime() > end) {
        throw new IllegalStateException("the other process does not reach step " + step);
      }
      LockSupport.parkNanos(1);
    }
  }

  private void pause() {
    random ^= random << 13;
    random ^= random >>> 7;
    random ^= random << 17;
    long spent = random;
    for (long i = random & MAX_OFFSET; i > 0; i--) {
      spent = spent * 31 + i;
    }
    if (spent == 0) {
      Thread.onSpinWait();
    }
  }

  private long load(long offset) {
    return (long) ValueLayout.JAVA_LONG.varHandle().getAcquire(memory, offset);
  }

  private void store(long offset, long value) {
    ValueLayout.JAVA_LONG.varHandle().setRelease(memory, offset, value);
  }
}
