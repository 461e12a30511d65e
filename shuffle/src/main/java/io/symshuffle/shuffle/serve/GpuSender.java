// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.serve;

import io.symshuffle.cuda.PinnedPool;
import io.symshuffle.ffi.DaemonThreads;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Packs tables of the DEVICE tier that other hosts have requested, and brings them to pinned
 * memory, on its own threads. Spark resolves all blocks of a request before it sends the first one.
 * So a thread takes all blocks that are waiting, up to a limit, and one wait for the GPU serves all
 * of them; while it waits, others pack, and Spark's threads send.
 *
 * <p>Tables are packed into a part of the device heap; without room there they are sent as they
 * are. Pinned memory is limited, too. A block that finds none in time, whose tables are larger than
 * all of it, or whose copy fails, is sent as it is stored: never a reason for a task to fail.
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

  private static final Duration END_LIMIT = Duration.ofSeconds(5);
  private static final Logger LOG = LoggerFactory.getLogger(GpuSender.class);

  private final DeviceTier device;
  private final PinnedPool pinned;
  private final SendOptions options;
  private final ShuffleStats stats;
  private final BlockingQueue<Work> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean closed;

  /**
   * A block to stage.
   *
   * @param tables its tables, some of which may be in other tiers
   * @param since when it was requested
   */
  record Work(StagedBlock block, List<SentTable> tables, LeaseSupplier leases, long since) {
    long bytes() {
      return deviceBytes(tables);
    }
  }

  /**
   * Starts the threads of an executor.
   *
   * @param options limits the memory of blocks that wait to be sent
   */
  GpuSender(DeviceTier device, SendOptions options, ShuffleStats stats) {
    this.device = device;
    this.pinned = new PinnedPool(device.context(), options.pinnedBytes());
    this.options = options;
    this.stats = stats;
    for (int i = 0; i < THREADS; i++) {
      threads.add(DaemonThreads.start("symshuffle-gpu-sender-" + i, this::run));
    }
  }

  /**
   * Starts to stage a block.
   *
   * @param others opens the data of a map output in other tiers
   * @param leases acquires the lease on its shuffle
   * @return the block, or empty to send it as it is stored
   */
  Optional<PreparedBlock> stage(
      List<SentTable> tables, Function<MapOutput, OutputReader> others, LeaseSupplier leases) {
    long bytes = deviceBytes(tables);
    if (bytes == 0
        || closed
        || 2 * bytes < tables.stream().mapToLong(table -> table.entry().storedBytes()).sum()) {
      return Optional.empty(); // most of it is in other tiers
    }
    StagedBlock block = new StagedBlock(others);
    if (bytes > pinned.maxBytes()
        || !waiting.offer(new Work(block, List.copyOf(tables), leases, System.nanoTime()))) {
      stats.add(ShuffleCounter.BLOCKS_NOT_STAGED, 1);
      return Optional.empty();
    }
    return Optional.of(block);
  }

  private static long deviceBytes(List<SentTable> tables) {
    return tables.stream()
        .map(SentTable::entry)
        .filter(entry -> entry.tier() == Tier.DEVICE)
        .mapToLong(TableEntry::storedBytes)
        .sum();
  }

  private void run() {
    try (TableStager stager = new TableStager(device, pinned, options, stats)) {
      while (!closed) {
        List<Work> group = nextGroup(stager);
        try {
          stager.stage(group);
        } catch (RuntimeException | InternalError | OutOfMemoryError e) {
          // Sending the blocks as they are stored will report the problem. Java throws
          // InternalError for a missing page; Spark would end the executor because of errors.
          LOG.debug("{} blocks are not staged: {}", group.size(), e.toString());
        } finally {
          // Those that are staged have ended.
          group.forEach(work -> giveUp(work.block()));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the executor shuts down
    }
  }

  private void giveUp(StagedBlock block) {
    if (!block.isEnded()) {
      stats.add(ShuffleCounter.BLOCKS_NOT_STAGED, 1);
      block.end(Optional.empty());
    }
  }

  /** Waits for a block, and takes those that wait behind it; none if none comes for a while. */
  private List<Work> nextGroup(TableStager stager) throws InterruptedException {
    List<Work> group = new ArrayList<>();
    Work first = waiting.poll();
    if (first == null) {
      stager.leaveMemory(false);
      first = waiting.poll(1, TimeUnit.SECONDS);
    }
    if (first == null) {
      stager.leaveMemory(true);
    }
    long bytes = 0;
    for (Work next = first; next != null; next = bytes < GROUP_BYTES ? waiting.poll() : null) {
      stats.addSince(ShuffleCounter.SEND_QUEUE_NANOS, next.since());
      if (!next.block().isEnded()) {
        group.add(next);
        bytes += next.bytes();
      }
    }
    return group;
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
