// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.ffi.DirectMemory;
import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.host.WindowCopies;
import io.symshuffle.shuffle.compress.BlockDecompressor;
import io.symshuffle.shuffle.directory.CorruptControlException;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.CorruptIndexException;
import io.symshuffle.shuffle.output.Pages;
import io.symshuffle.shuffle.output.RowOutput;
import io.symshuffle.shuffle.output.RunReader;
import io.symshuffle.shuffle.output.RunView;
import io.symshuffle.shuffle.runtime.FetchFailureKind;
import io.symshuffle.shuffle.runtime.PeerPages;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.runtime.ShuffleUsage;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.unsafe.Platform;

/**
 * Iterates over blocks of this host: those of the HOST tier are read in place, in their owner's
 * mapped window, or copied where that is faster than to map it; each block of the DISK tier is read
 * into a Java array, and decompressed. The reader holds a lease on the shuffle.
 */
public final class HostCursor extends BlockCursor {
  private static final long REPORT_BYTES = 4L << 20;

  /** Larger blocks are read in place, since each task has two buffers of the largest one's size. */
  private static final long MAX_COPIED_BYTES = 4L << 20;

  private static final long BUFFER_BYTES = 64L << 10;

  /** Starts to read. The caller holds a lease on the shuffle. */
  @FunctionalInterface
  public interface Factory {
    /** Opens a cursor over the blocks of map outputs, which are looked up when they are read. */
    BlockCursor open(ReadTask task, List<LocalSource> sources);
  }

  private final ReadTask task;
  private Iterator<LocalSource> sources;
  private final int startPartition;
  private final int endPartition;
  private final boolean verify;
  private final ShuffleReadMetricsReporter metrics;
  private final ShuffleStats stats;
  private final ShuffleUsage.OfShuffle usage;
  private final FetchFailures failures;

  private LocalSource source;
  private RowOutput output;
  private RunReader disk;
  private BlockDecompressor decompressor;
  private int run;
  private RunView view;
  private MemorySegment memory;
  private int block;
  private int blockEnd;

  /** Whether Spark knows that a block of the map output was read. */
  private boolean isCounted;

  private final Optional<WindowCopies> copies;

  /** The copies of this block and of the one before, which the caller may still use. */
  private MemorySegment copy = MemorySegment.NULL;

  private MemorySegment copyBefore = MemorySegment.NULL;

  /** Bytes that were read in place, and perhaps mapped, since the last report. */
  private long mappedBytes;

  public HostCursor(ReadTask task, List<LocalSource> sources) {
    this.task = task;
    this.sources = sources.iterator();
    this.startPartition = task.request().startPartition();
    this.endPartition = task.request().endPartition();
    this.verify = task.verify();
    this.metrics = task.metrics();
    this.stats = task.stats();
    this.usage = task.usage();
    this.failures = task.failures();
    this.copies = task.copies();
  }

  @Override
  public boolean advance() {
    try {
      while (block >= blockEnd) {
        if (output != null && run < output.index().runs()) {
          openRun(run++);
        } else if (sources.hasNext()) {
          openSource(sources.next());
        } else {
          reportMapped();
          end();
          return false;
        }
      }
      openBlock(block++);
      return true;
    } catch (CorruptIndexException | CorruptControlException | HeapException | IOException e) {
      throw failures.raise(source.map(), e);
    } catch (InternalError e) {
      throw failures.truncated(source.map(), e);
    }
  }

  @Override
  public RuntimeException corrupt(String found) {
    throw failures.raise(FetchFailureKind.DAMAGED, source.map(), found, null);
  }

  private void openSource(LocalSource next) throws IOException {
    closeDisk();
    source = next;
    output = task.find(next).rows();
    isCounted = false;
    run = 0;
    block = 0;
    blockEnd = 0;
  }

  private void openRun(int number) {
    view = output.index().run(number);
    memory = view.tier() == Tier.HOST ? output.hostRun(view) : null;
    block = view.firstBlock(startPartition);
    blockEnd = view.firstBlock(endPartition);
    if (view.tier() == Tier.DEVICE && block < blockEnd) {
      throw new CorruptIndexException(
          view.id(), "a run of records is in the DEVICE tier, which only contains tables");
    }
  }

  private void openBlock(int number) throws IOException {
    long start = view.start(number);
    long size = view.size(number);
    partition = view.partition(number);
    if (memory != null) {
      MemorySegment bytes = inMemory(start, size);
      if (verify) {
        check(Crc32c.of(bytes, 0, size), view.checksum(number));
      }
      object = null;
      position = bytes.address();
      stats.read(Tier.HOST, 1, size);
    } else {
      byte[] bytes = openDisk().readBlock(view, number, decompressor);
      if (verify) {
        check(Crc32c.of(ByteBuffer.wrap(bytes)), view.checksum(number));
      }
      object = bytes;
      position = Platform.BYTE_ARRAY_OFFSET;
      stats.read(Tier.DISK, 1, size);
    }
    usage.readInPlace(size);
    limit = position + size;
    if (!isCounted) {
      // As in Spark's batch fetch, all partitions of a map output are one block.
      isCounted = true;
      metrics.incLocalBlocksFetched(1);
    }
    metrics.incLocalBytesRead(size);
  }

  /** Returns a block of the HOST tier, in place or as a copy. */
  private MemorySegment inMemory(long start, long size) {
    if (copies.isPresent() && size <= MAX_COPIED_BYTES) {
      MemorySegment to = nextCopy(size).asSlice(0, size);
      copies.get().read(output.pe(), view.place() + start, to);
      return to;
    }
    MemorySegment inPlace = memory.asSlice(start, size);
    Pages.touch(inPlace);
    mappedBytes += PeerPages.mappedBytes(size);
    if (mappedBytes >= REPORT_BYTES) {
      reportMapped();
    }
    return inPlace;
  }

  private MemorySegment nextCopy(long size) {
    MemorySegment next = copyBefore;
    if (next.byteSize() < size) {
      long bytes = Math.max(BUFFER_BYTES, Long.highestOneBit(size - 1) << 1);
      next =
          DirectMemory.require(
              "a copy of a block of %d bytes",
              bytes, () -> Arena.ofAuto().allocate(bytes, Long.BYTES));
    }
    copyBefore = copy;
    copy = next;
    return next;
  }

  private void reportMapped() {
    task.peerPages().read(mappedBytes);
    mappedBytes = 0;
  }

  private RunReader openDisk() throws IOException {
    if (disk == null) {
      disk = RunReader.open(output);
    }
    if (decompressor == null) {
      decompressor = new BlockDecompressor();
    }
    return disk;
  }

  private void check(int actual, int expected) {
    if (actual != expected) {
      throw failures.raise(
          FetchFailureKind.DAMAGED,
          source.map(),
          "block of partition %d has checksum %08x instead of %08x"
              .formatted(partition, actual, expected),
          null);
    }
  }

  /**
   * Drops all but what a row may still be in, the copy of the last block: Spark keeps this cursor
   * until the task ends, and a task may read with many, one after the other.
   */
  private void end() {
    close();
    sources = Collections.emptyIterator();
    output = null;
    view = null;
    memory = null;
    copyBefore = MemorySegment.NULL;
    object = null;
    position = 0;
    limit = 0;
  }

  /** Closes the file of the current map output and frees memory; called when the task ends. */
  public void close() {
    closeDisk();
    if (decompressor != null) {
      decompressor.close();
      decompressor = null;
    }
  }

  private void closeDisk() {
    if (disk != null) {
      disk.close();
      disk = null;
    }
  }
}
