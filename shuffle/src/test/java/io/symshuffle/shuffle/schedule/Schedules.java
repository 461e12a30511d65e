// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.schedule;

import io.symshuffle.heap.Slab;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.heap.SlabBacking;
import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.Directory;
import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.LeaseTable;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.OutputKind;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;

/**
 * Lincheck runs two operations of a class at the same time again and again. Each time, threads
 * change at other accesses to shared memory, mapped memory included. It changes classes while they
 * are loaded, so this is a process of its own.
 */
final class Schedules {
  private static final int SCHEDULES = 150;

  /** More than the lease slots that one operation reads. */
  static final int ALL_SLOTS = 20_000;

  /** A busy machine needs several seconds for one schedule. */
  private static final long LIMIT_MILLIS = 120_000;

  private Schedules() {}

  /**
   * Prints for each class "right", or "wrong" and what Lincheck says.
   *
   * @param arguments after how many rounds of a loop the thread changes, and names of classes
   */
  public static void main(String[] arguments) throws ClassNotFoundException {
    for (String name : List.of(arguments).subList(1, arguments.length)) {
      ModelCheckingOptions options =
          new ModelCheckingOptions()
              .threads(2)
              .actorsBefore(0)
              .actorsPerThread(1)
              .actorsAfter(0)
              .iterations(1)
              .invocationsPerIteration(SCHEDULES)
              .loopBound(ALL_SLOTS)
              .loopIterationsBeforeThreadSwitch(Integer.parseInt(arguments[0]));
      options.invocationTimeout$lincheck(LIMIT_MILLIS);
      Class<?> operations = Class.forName(name);
      try {
        options.check(operations);
        System.out.println(operations.getSimpleName() + " right");
      } catch (AssertionError e) {
        System.out.println(operations.getSimpleName() + " wrong " + e.getMessage());
      }
    }
  }

  /** A task reads a map output, and its owner frees it. Called by Lincheck. */
  public static class Leases {
    private final MapOutput output = new MapOutput();

    @Operation(runOnce = true)
    public boolean read() {
      Lease lease = output.lease();
      try {
        return output.isFound() && output.use();
      } finally {
        lease.close();
      }
    }

    @Operation(runOnce = true)
    public void free() {
      output.free();
    }
  }

  /** The same, with a mistake. */
  public static class LookupBeforeLease {
    private final MapOutput output = new MapOutput();

    @Operation(runOnce = true)
    public boolean read() {
      boolean found = output.isFound();
      Lease lease = output.lease();
      try {
        return found && output.use();
      } finally {
        lease.close();
      }
    }

    @Operation(runOnce = true)
    public void free() {
      output.free();
    }
  }

  private static final class MapOutput {
    private static final MapOutputId ID = new MapOutputId(3, 14);
    private static final MemorySegment WINDOW =
        Arena.global().allocate(ControlDescriptor.BYTES, Long.BYTES);

    private final Directory directory;
    private final ControlView view;
    private final LeaseTable leases;
    private volatile boolean freed;

    MapOutput() {
      WINDOW.asSlice(0, ControlDescriptor.tableOffset(1)).fill((byte) 0);
      ControlView.create(WINDOW, List.of(Path.of("/disk")));
      directory = new Directory(WINDOW, SlabBacking.none());
      view = ControlView.open(WINDOW);
      leases = new LeaseTable(WINDOW);
      directory.publish(ID, new IndexPlace(OutputKind.ROWS, Tier.HOST, 4096, 120));
    }

    Lease lease() {
      return leases.acquire(ID.shuffleId());
    }

    boolean isFound() {
      return view.find(ID).isPresent();
    }

    boolean use() {
      if (freed) {
        throw new IllegalStateException("read after it was freed");
      }
      return true;
    }

    void free() {
      boolean erased = directory.erase(ID);
      if (erased && !view.isLeased(ID.shuffleId())) {
        freed = true;
      }
    }
  }

  /** Tasks allocate, use and free slabs, of which one fits at a time. Called by Lincheck. */
  public static class Slabs {
    private final Memory memory = new Memory();
    private final SlabAllocator slabs = new SlabAllocator(0, 3 * CHUNK, memory, 0, CHUNK, 1);

    @Operation
    public void use() {
      memory.use(slabs);
    }
  }

  /** The same, in memory of which a part is lost when a task begins. */
  public static class MemoryReleasedEarly {
    private final Memory memory = new Memory();
    private final SlabAllocator slabs = new SlabAllocator(0, 3 * CHUNK, memory, 0, CHUNK, 1);

    @Operation
    public void use() {
      memory.release(0, CHUNK);
      memory.use(slabs);
    }
  }

  private static final long CHUNK = 64;

  private static final class Memory implements SlabBacking {
    private final boolean[] present = new boolean[3];
    private final boolean[] used = new boolean[3];

    @Override
    public boolean reserve(long offset, long bytes) {
      set(present, offset, bytes, true);
      return true;
    }

    @Override
    public void release(long offset, long bytes) {
      set(present, offset, bytes, false);
    }

    void use(SlabAllocator slabs) {
      Optional<Slab> slab = slabs.allocate(2 * CHUNK);
      if (slab.isPresent()) {
        long offset = slab.get().offset();
        check(used, offset, false);
        set(used, offset, slab.get().bytes(), true);
        check(present, offset, true);
        set(used, offset, slab.get().bytes(), false);
        slabs.free(slab.get());
      }
    }

    private static void set(boolean[] chunks, long offset, long bytes, boolean value) {
      for (long at = offset; at < offset + bytes; at += CHUNK) {
        chunks[(int) (at / CHUNK)] = value;
      }
    }

    private static void check(boolean[] chunks, long offset, boolean expected) {
      for (long at = offset; at < offset + 2 * CHUNK; at += CHUNK) {
        if (chunks[(int) (at / CHUNK)] != expected) {
          throw new IllegalStateException("chunk %d of a slab at %d".formatted(at / CHUNK, offset));
        }
      }
    }
  }
}
