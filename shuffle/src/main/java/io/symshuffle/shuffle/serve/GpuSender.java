// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.PinnedArena;
import io.symshuffle.cuda.PinnedPool;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.runtime.TransferStep;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings tables of the DEVICE tier that other hosts have requested to pinned memory, on threads of
 * its own. Spark resolves all blocks of a request before it sends the first one. So a thread takes
 * all blocks that are waiting, up to a limit, and one wait for the GPU serves all of them; while it
 * waits, others pack, and Spark's threads send.
 *
 * <p>Pinned memory is limited. A block that finds none within half a second, whose tables are
 * larger than all of it, or whose copy fails, is sent as it is stored: never a reason for a task to
 * fail.
 *
 * <p>Thread-safe. One per executor.
 */
final class GpuSender implements AutoCloseable {
  /** Threads, so that the GPU packs for one while the other waits for a copy. */
  private static final int THREADS = 2;

  /** Bytes of tables that are staged together; more only if a single block is larger. */
  private static final long GROUP_BYTES = 32L << 20;

  /** Most blocks that wait; Spark's threads send more as they are stored. */
  private static final int MAX_WAITING = 10_000;

  private static final Duration GPU_LIMIT = Duration.ofSeconds(60);
  private static final Duration MEMORY_LIMIT = Duration.ofMillis(500);
  private static final Duration SETTLE_LIMIT = Duration.ofSeconds(1);
  private static final Duration END_LIMIT = Duration.ofSeconds(5);
  private static final Logger LOG = LoggerFactory.getLogger(GpuSender.class);

  private final DeviceTier device;
  private final PinnedPool pinned;
  private final ShuffleStats stats;
  private final Duration memoryLimit;
  private final BlockingQueue<Work> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean closed;

  /**
   * A block to stage.
   *
   * @param tables its tables, some of which may be in other tiers
   * @param since when it was requested
   */
  private record Work(
      StagedBlock block, List<TableEntry> tables, LeaseSupplier leases, long since) {
    long bytes() {
      return deviceBytes(tables);
    }
  }

  /** A block whose shuffle is leased. */
  private record Held(Work work, Lease lease) {}

  /**
   * Starts the threads of an executor.
   *
   * @param pinned limits the memory of blocks that wait to be sent; this object takes ownership
   */
  GpuSender(DeviceTier device, PinnedPool pinned, ShuffleStats stats) {
    this(device, pinned, stats, MEMORY_LIMIT);
  }

  GpuSender(DeviceTier device, PinnedPool pinned, ShuffleStats stats, Duration memoryLimit) {
    this.device = requireNonNull(device, "device is null");
    this.pinned = requireNonNull(pinned, "pinned is null");
    this.stats = requireNonNull(stats, "stats is null");
    this.memoryLimit = requireNonNull(memoryLimit, "memoryLimit is null");
    for (int i = 0; i < THREADS; i++) {
      threads.add(Thread.ofPlatform().daemon().name("symshuffle-gpu-sender-" + i).start(this::run));
    }
  }

  /**
   * Starts to stage a block.
   *
   * @param tables its tables
   * @param others opens its data of other tiers
   * @param leases acquires the lease on its shuffle
   * @return the block, or empty to send it as it is stored
   */
  Optional<PreparedBlock> stage(
      List<TableEntry> tables, Supplier<OutputReader> others, LeaseSupplier leases) {
    long bytes = deviceBytes(tables);
    if (bytes == 0 || closed) {
      return Optional.empty();
    }
    StagedBlock block = new StagedBlock(others);
    if (bytes > pinned.maxBytes()
        || !waiting.offer(new Work(block, List.copyOf(tables), leases, System.nanoTime()))) {
      stats.notStaged();
      return Optional.empty();
    }
    return Optional.of(block);
  }

  private static long deviceBytes(List<TableEntry> tables) {
    return tables.stream()
        .filter(table -> table.tier() == Tier.DEVICE)
        .mapToLong(TableEntry::bytes)
        .sum();
  }

  private void run() {
    CudaStream stream = null;
    PinnedArena arena = new PinnedArena(pinned);
    try {
      while (!closed) {
        List<Work> group = nextGroup();
        try {
          if (stream == null && !group.isEmpty()) {
            stream = device.context().newStream();
          }
          stage(group, stream, arena);
        } catch (RuntimeException | InternalError | OutOfMemoryError e) {
          // Sending the blocks as they are stored will report the problem. Java throws
          // InternalError for a missing page; Spark would end the executor because of errors.
          LOG.debug("{} blocks are not staged: {}", group.size(), e.toString());
        } finally {
          // Those that are staged have ended.
          group.forEach(work -> giveUp(work.block()));
          if (waiting.isEmpty()) {
            arena.close(); // leaves the rest of its page to the other thread
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the executor shuts down
    } finally {
      arena.close();
      if (stream != null) {
        stream.close();
      }
    }
  }

  private void giveUp(StagedBlock block) {
    if (!block.isEnded()) {
      stats.notStaged();
      block.end(Optional.empty());
    }
  }

  /** Waits for a block, and takes those that wait behind it. */
  private List<Work> nextGroup() throws InterruptedException {
    List<Work> group = new ArrayList<>();
    Work first = waiting.poll(1, TimeUnit.SECONDS);
    long bytes = 0;
    for (Work next = first; next != null; next = bytes < GROUP_BYTES ? waiting.poll() : null) {
      stats.spentSince(TransferStep.SEND_QUEUE, next.since());
      if (!next.block().isEnded()) {
        group.add(next);
        bytes += next.bytes();
      }
    }
    return group;
  }

  private void stage(List<Work> group, CudaStream stream, PinnedArena arena)
      throws InterruptedException {
    List<Held> held = new ArrayList<>();
    boolean copying = false;
    try {
      for (Work work : group) {
        try {
          held.add(new Held(work, work.leases().acquire()));
        } catch (IOException e) {
          LOG.debug("A block is not staged: {}", e.getMessage()); // its shuffle has ended
        }
      }
      copying = true;
      copyPlain(held.stream().map(Held::work).toList(), stream, arena);
      copying = false;
    } catch (TimeoutException e) {
      LOG.error("The GPU did not copy tables for another host: {}", e.getMessage());
    } finally {
      if (copying && !settles(stream)) {
        LOG.error("Keeping map outputs in GPU memory until this executor ends: it may be read");
      } else {
        held.forEach(each -> each.lease().close());
      }
    }
  }

  /** Waits a moment for queued work; false if the GPU may still do it. */
  private static boolean settles(CudaStream stream) {
    try {
      stream.synchronize(SETTLE_LIMIT);
      return true;
    } catch (TimeoutException | RuntimeException e) {
      return false; // late, or the GPU failed
    }
  }

  /** Copies blocks as they are. */
  private void copyPlain(List<Work> group, CudaStream stream, PinnedArena arena)
      throws InterruptedException, TimeoutException {
    long deadline = System.nanoTime() + memoryLimit.toNanos();
    List<Runnable> done = new ArrayList<>();
    List<PinnedArena.Memory> taken = new ArrayList<>();
    boolean ended = false;
    try {
      long start = System.nanoTime();
      long memory = 0;
      for (Work work : group) {
        long before = System.nanoTime();
        Optional<PinnedArena.Memory> to =
            arena.allocate(work.bytes(), Duration.ofNanos(Math.max(0, deadline - before)));
        memory += System.nanoTime() - before;
        if (to.isEmpty()) {
          continue;
        }
        taken.add(to.get());
        List<Frame> frames = new ArrayList<>();
        Target target = new Target(stream, to.get().pieces());
        for (TableEntry table : work.tables()) {
          if (table.tier() == Tier.DEVICE && table.bytes() > 0) {
            frames.add(Frame.of(table).at(target.place()));
            target.copy(range(table));
          } else {
            frames.add(Frame.of(table));
          }
        }
        done.add(
            () -> {
              work.block().end(frames, to.get());
              stats.staged(work.bytes(), work.bytes());
            });
      }
      stream.synchronize(GPU_LIMIT);
      ended = true;
      stats.spent(TransferStep.SEND_MEMORY, memory);
      stats.spent(TransferStep.SEND_COPY, System.nanoTime() - start - memory);
      done.forEach(Runnable::run);
    } finally {
      // The GPU may still write memory of a copy that has not ended.
      if (!ended && settles(stream)) {
        taken.forEach(PinnedArena.Memory::close);
      }
    }
  }

  private DeviceRange range(TableEntry table) {
    return device
        .rangeOf(device.myPe(), table.place(), table.bytes())
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "there is no GPU memory for %d bytes at %d"
                        .formatted(table.bytes(), table.place())));
  }

  /** Pinned memory that is filled from its start. */
  private static final class Target {
    private final CudaStream stream;
    private final List<MemorySegment> pieces;
    private int piece;
    private long used;
    private long place;

    Target(CudaStream stream, List<MemorySegment> pieces) {
      this.stream = stream;
      this.pieces = pieces;
    }

    /** Offset of the next byte. */
    long place() {
      return place;
    }

    /** Queues a copy to the next bytes. */
    void copy(DeviceRange from) {
      for (long done = 0; done < from.bytes(); ) {
        MemorySegment to = pieces.get(piece);
        long step = Math.min(to.byteSize() - used, from.bytes() - done);
        stream.copyOut(to.asSlice(used, step), from.slice(done, step));
        done += step;
        used += step;
        place += step;
        if (used == to.byteSize()) {
          piece++;
          used = 0;
        }
      }
    }
  }

  /** Pinned memory of blocks that wait to be sent, in bytes. */
  long usedBytes() {
    return pinned.usedBytes();
  }

  @Override
  public void close() {
    closed = true;
    threads.forEach(Thread::interrupt);
    try {
      for (Thread thread : threads) {
        if (!thread.join(END_LIMIT)) {
          return; // it may use the memory
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    pinned.close();
  }
}
