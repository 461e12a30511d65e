// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.devicerows;

import static java.util.Objects.requireNonNull;

import io.symshuffle.kernel.KernelException;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.output.CorruptIndexException;
import io.symshuffle.shuffle.output.RunView;
import io.symshuffle.shuffle.read.BlockCursor;
import io.symshuffle.shuffle.read.FetchFailures;
import io.symshuffle.shuffle.read.MapSource;
import io.symshuffle.shuffle.read.ReadTask;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.runtime.ShuffleUsage;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;

/**
 * Iterates over blocks of the DEVICE tier. Fetches copy the blocks to pinned memory. While the
 * caller reads the records of one fetch, the GPU works on the next fetches, in as many buffers as
 * the limit on bytes in flight allows, but at least 2.
 *
 * <p>A buffer is reused only after the caller has read a record of the next fetch: until then it
 * may still use the last record of the buffer. The last buffer stays unchanged until the task ends.
 */
final class DeviceCursor extends BlockCursor {
  /**
   * One is being read, one is complete, one is being filled, and the last record of one may still
   * be in use.
   */
  private static final long MAX_BUFFERS = 4;

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final DeviceRows rows;
  private final DeviceFetch.Cutter cutter;
  private final int maxBuffers;
  private final boolean verify;
  private final ShuffleReadMetricsReporter metrics;
  private final ShuffleStats stats;
  private final ShuffleUsage.OfShuffle usage;
  private final FetchFailures failures;
  private final Deque<DeviceFetch> queued = new ArrayDeque<>();

  /** The fetch before {@link #current}, whose last record may still be in use. */
  private DeviceFetch previous;

  private DeviceFetch current;
  private Iterator<DeviceFetch.Part> parts;
  private DeviceFetch.Part part;
  private int block;
  private boolean closed;

  /** Whether the GPU may still read blocks and write to buffers although this is closed. */
  private boolean busy;

  /** Time spent waiting that is not reported yet, less than a millisecond. */
  private long waitedNanos;

  /**
   * Starts before the first block; nothing is fetched yet.
   *
   * @param blocks the blocks to read, alternating between PEs
   * @param maxBytesInFlight maximum number of bytes being fetched at a time
   */
  DeviceCursor(ReadTask task, DeviceRows rows, List<DeviceBlocks> blocks, long maxBytesInFlight) {
    this.rows = requireNonNull(rows, "rows is null");
    this.cutter = new DeviceFetch.Cutter(blocks.iterator(), rows.bufferBytes());
    this.maxBuffers = (int) Math.clamp(maxBytesInFlight / rows.bufferBytes(), 2L, MAX_BUFFERS);
    this.verify = task.verify();
    this.metrics = task.metrics();
    this.stats = task.stats();
    this.usage = task.usage();
    this.failures = task.failures();
  }

  /** Starts the first fetches. */
  void start() {
    while (buffers() < maxBuffers && cutter.hasNext()) {
      if (!fetch(rows.acquireReadBuffer())) {
        return;
      }
    }
  }

  @Override
  public boolean advance() {
    if (previous != null) {
      // The caller has read a record of the current fetch.
      TransferBuffer free = previous.buffer();
      previous = null;
      if (cutter.hasNext()) {
        fetch(Optional.of(free));
      } else {
        rows.release(free);
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
    moveTo(block++);
    return true;
  }

  @Override
  public RuntimeException corrupt(String found) {
    throw failures.raise(part.blocks().map(), found, null);
  }

  /**
   * Returns all buffers; called at the task's end, perhaps repeatedly. It waits for all fetches
   * together as long as for one.
   *
   * @return false if the GPU may still be reading blocks
   */
  boolean close() {
    if (closed) {
      return !busy;
    }
    closed = true;
    if (previous != null) {
      queued.addFirst(previous);
      previous = null;
    }
    if (current != null) {
      queued.addFirst(current);
      current = null;
    }
    long deadline = System.nanoTime() + rows.limit().toNanos();
    for (DeviceFetch fetch : queued) {
      try {
        fetch.awaitIdle(DeviceRows.until(deadline));
        rows.release(fetch.buffer());
      } catch (TimeoutException | RuntimeException e) {
        // The buffer is leaked: the GPU may still write to it.
        busy = true;
        rows.disable("the GPU did not finish its work: " + e.getMessage());
      }
    }
    queued.clear();
    return !busy;
  }

  private int buffers() {
    return queued.size() + (current == null ? 0 : 1) + (previous == null ? 0 : 1);
  }

  private boolean nextFetch() {
    if (queued.isEmpty() && cutter.hasNext() && !fetch(rows.acquireReadBuffer())) {
      throw failures.raise(
          cutter.peek().map(),
          "it is in GPU memory, and this executor has no memory to fetch it: "
              + rows.failure().orElse("no GPU memory or pinned host memory is available"),
          null);
    }
    if (queued.isEmpty()) {
      return false;
    }
    previous = current;
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
   * @return false if there is no buffer for it
   */
  private boolean fetch(Optional<TransferBuffer> buffer) {
    if (buffer.isEmpty()) {
      return false;
    }
    MapSource first = cutter.peek().map();
    DeviceFetch fetch = null;
    try {
      fetch = cutter.next();
      queued.add(fetch);
      fetch.queue(buffer.get(), rows.tier().kernels());
      return true;
    } catch (CorruptIndexException e) {
      if (fetch == null) {
        rows.release(buffer.get());
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
    metrics.incFetchWaitTime(waitedNanos / NANOS_PER_MILLI);
    waitedNanos %= NANOS_PER_MILLI;
  }

  private RuntimeException failed(MapSource first, Exception cause) {
    String what = "the GPU did not fetch its blocks: " + cause.getMessage();
    if (!(cause instanceof KernelException)) {
      rows.disable(what);
    }
    throw failures.raise(first, what, cause);
  }

  private void moveTo(int number) {
    DeviceBlocks blocks = part.blocks();
    RunView run = blocks.run();
    long size;
    long offset;
    try {
      size = run.size(number);
      long start = run.start(number) - blocks.start();
      // The index may be another process's memory: check that the block is inside the fetched
      // range.
      if (start < 0 || size > blocks.bytes() - start) {
        throw new IOException("its index changed while it was read");
      }
      offset = part.offset() + start;
    } catch (CorruptIndexException | IOException e) {
      throw failures.raise(blocks.map(), e.getMessage(), e);
    }
    partition = run.partition(number);
    if (verify) {
      int actual = Crc32c.of(current.buffer().host(), offset, size);
      if (actual != run.checksum(number)) {
        throw failures.raise(
            blocks.map(),
            "block of partition %d has checksum %08x instead of %08x"
                .formatted(partition, actual, run.checksum(number)),
            null);
      }
    }
    object = null;
    position = current.buffer().host().address() + offset;
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
