// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import io.symshuffle.kernel.KernelException;
import io.symshuffle.shuffle.core.ShuffleStats;
import io.symshuffle.shuffle.core.ShuffleUsage;
import io.symshuffle.shuffle.device.DeviceRows;
import io.symshuffle.shuffle.device.Ferry;
import io.symshuffle.shuffle.fault.FaultPoint;
import io.symshuffle.shuffle.fault.Faults;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.output.CorruptIndexException;
import io.symshuffle.shuffle.output.RunView;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;

/**
 * Walks over blocks of the DEVICE tier, each in pinned memory, where fetches bring them. While the
 * records of one fetch are looked at, the GPU works on those behind it, in as many ferries as the
 * limit on bytes in flight allows, 2 at least.
 *
 * <p>A ferry is used anew only after a record of the fetch behind it was taken: until then somebody
 * may look at its last record. The last ferry stays as it is until the task ends.
 */
final class DeviceCursor extends BlockCursor {
  /** One is read, one is about to be, one is on its way, one may still be looked at. */
  private static final int MOST_FERRIES = 4;

  private static final long NANOS_A_MILLI = 1_000_000;

  private final DeviceRows rows;
  private final DeviceFetch.Cutter cutter;
  private final int mostFerries;
  private final boolean verify;
  private final ShuffleReadMetricsReporter metrics;
  private final ShuffleStats stats;
  private final ShuffleUsage.OfShuffle usage;
  private final FetchFailures failures;
  private final Faults faults = Faults.current();
  private final Deque<DeviceFetch> queued = new ArrayDeque<>();

  /** The fetch before {@link #current}, whose last record may still be looked at. */
  private DeviceFetch lingering;

  private DeviceFetch current;
  private Iterator<DeviceFetch.Part> parts;
  private DeviceFetch.Part part;
  private int block;
  private boolean closed;

  /** What is left of the time spent on waiting, once whole milliseconds are reported. */
  private long waitedNanos;

  /** How a reader reads. */
  record Limits(long mostBytesInFlight, boolean verify) {}

  /**
   * Starts before the first block; nothing is fetched yet.
   *
   * @param blocks what to read, those of different PEs by turns
   * @param limits how many bytes may be in flight at a time, and whether checksums are compared
   */
  DeviceCursor(
      DeviceRows rows,
      List<DeviceBlocks> blocks,
      Limits limits,
      ShuffleReadMetricsReporter metrics,
      ShuffleStats stats,
      FetchFailures failures) {
    this.rows = requireNonNull(rows, "rows is null");
    this.cutter = new DeviceFetch.Cutter(blocks.iterator(), rows.ferryBytes());
    this.mostFerries =
        (int) Math.clamp(limits.mostBytesInFlight / rows.ferryBytes(), 2L, (long) MOST_FERRIES);
    this.verify = limits.verify;
    this.metrics = requireNonNull(metrics, "metrics is null");
    this.stats = requireNonNull(stats, "stats is null");
    this.usage = stats.usage().of(failures.shuffleId());
    this.failures = requireNonNull(failures, "failures is null");
  }

  /** Starts the first fetches. */
  void start() {
    while (ferries() < mostFerries && cutter.hasNext()) {
      if (!fetch(rows.ferryForReading())) {
        return;
      }
    }
  }

  @Override
  boolean advance() {
    if (lingering != null) {
      // A record of the fetch in hand was taken.
      Ferry free = lingering.ferry();
      lingering = null;
      if (cutter.hasNext()) {
        fetch(Optional.of(free));
      } else {
        rows.give(free);
      }
    }
    while (part == null || block == part.blocks().end()) {
      if (parts != null && parts.hasNext()) {
        part = parts.next();
        block = part.blocks().first();
      } else if (!nextFetch()) {
        return false;
      }
    }
    show(block++);
    return true;
  }

  @Override
  RuntimeException corrupt(String found) {
    throw failures.raise(part.blocks().map(), found, null);
  }

  /** Gives all ferries back; called at the task's end. */
  void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (lingering != null) {
      queued.addFirst(lingering);
      lingering = null;
    }
    if (current != null) {
      queued.addFirst(current);
      current = null;
    }
    for (DeviceFetch fetch : queued) {
      try {
        fetch.rest(rows.limit());
        rows.give(fetch.ferry());
      } catch (TimeoutException | RuntimeException e) {
        // The ferry is lost: the GPU may write into it.
        rows.giveUp("the GPU does not come to rest: " + e.getMessage());
      }
    }
    queued.clear();
  }

  private int ferries() {
    return queued.size() + (current == null ? 0 : 1) + (lingering == null ? 0 : 1);
  }

  private boolean nextFetch() {
    if (queued.isEmpty() && cutter.hasNext() && !fetch(rows.ferryForReading())) {
      throw failures.raise(
          cutter.peek().map(),
          "it lies in GPU memory, and there is no memory here to fetch it: "
              + rows.trouble().orElse("neither GPU memory nor memory that can be pinned"),
          null);
    }
    if (queued.isEmpty()) {
      return false;
    }
    lingering = current;
    current = queued.poll();
    parts = null;
    part = null;
    await(current);
    parts = current.parts().iterator();
    return true;
  }

  /**
   * Starts the next fetch.
   *
   * @return false if there is no ferry for it
   */
  private boolean fetch(Optional<Ferry> ferry) {
    if (ferry.isEmpty()) {
      return false;
    }
    MapSource first = cutter.peek().map();
    DeviceFetch fetch = null;
    try {
      fetch = cutter.next();
      queued.add(fetch);
      fetch.queue(ferry.get(), rows.tier().kernels());
      return true;
    } catch (CorruptIndexException e) {
      if (fetch == null) {
        rows.give(ferry.get());
      }
      throw failures.raise(first, e.getMessage(), e);
    } catch (RuntimeException e) {
      throw failed(first, e);
    }
  }

  private void await(DeviceFetch fetch) {
    long start = System.nanoTime();
    try {
      fetch.await(rows.limit());
    } catch (TimeoutException | RuntimeException e) {
      throw failed(fetch.parts().getFirst().blocks().map(), e);
    }
    waitedNanos += System.nanoTime() - start;
    metrics.incFetchWaitTime(waitedNanos / NANOS_A_MILLI);
    waitedNanos %= NANOS_A_MILLI;
  }

  private RuntimeException failed(MapSource first, Exception cause) {
    String what = "the GPU did not fetch its blocks: " + cause.getMessage();
    if (!(cause instanceof KernelException)) {
      rows.giveUp(what);
    }
    throw failures.raise(first, what, cause);
  }

  private void show(int number) {
    DeviceBlocks blocks = part.blocks();
    RunView run = blocks.run();
    long size;
    long offset;
    try {
      if (faults != null) {
        faults.strike(FaultPoint.READ);
      }
      size = run.size(number);
      long start = run.start(number) - blocks.start();
      // The index may be another's memory: what is shown must be what was fetched.
      if (start < 0 || size > blocks.bytes() - start) {
        throw new IOException("its index has changed while it was read");
      }
      offset = part.offset() + start;
    } catch (CorruptIndexException | IOException e) {
      throw failures.raise(blocks.map(), e.getMessage(), e);
    }
    partition = run.partition(number);
    if (verify) {
      int actual = Crc32c.of(current.ferry().host(), offset, size);
      if (actual != run.checksum(number)) {
        throw failures.raise(
            blocks.map(),
            "block of partition %d has checksum %08x instead of %08x"
                .formatted(partition, actual, run.checksum(number)),
            null);
      }
    }
    object = null;
    position = current.ferry().host().address() + offset;
    limit = position + size;
    count(blocks.pe(), size);
  }

  private void count(int pe, long size) {
    usage.readInPlace(pe, size);
    if (pe == rows.tier().myPe()) {
      stats.readDevice(1, size);
      metrics.incLocalBlocksFetched(1);
      metrics.incLocalBytesRead(size);
    } else {
      stats.pulled(pe, 1, size);
      metrics.incRemoteBlocksFetched(1);
      metrics.incRemoteBytesRead(size);
    }
  }
}
