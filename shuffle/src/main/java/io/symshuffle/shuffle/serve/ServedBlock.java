// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.shuffle.compress.FrameShape;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.RowOutput;
import io.symshuffle.shuffle.output.RunView;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.output.TableOutput;
import io.symshuffle.shuffle.runtime.TransferStep;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.network.buffer.ManagedBuffer;

/**
 * The blocks of a range of partitions of one map output, as sent through Spark's block transfer:
 * frames, or chunks of compressed ones. Compression, or the copy of tables from the GPU, starts
 * when the block is resolved, on other threads; {@link #size()} waits for it.
 *
 * <p>The block holds a lease from the first read until it is released, but not before: Spark
 * resolves many blocks for one request, and drops them without releasing them if one of them is not
 * found or the connection is closed.
 *
 * <p>Thread-safe; its streams and regions are not.
 */
public final class ServedBlock extends ManagedBuffer {
  private static final Cleaner CLEANER = Cleaner.create();

  private final BlockServer server;
  private final MapOutput output;
  private final LeaseSupplier leases;
  private final List<Frame> frames;
  private final long plainBytes;
  private final Optional<PreparedBlock> prepared;
  private final Optional<Cleaner.Cleanable> memory;

  @GuardedBy("this")
  private int references = 1;

  @GuardedBy("this")
  private Lease lease;

  /**
   * Lists the frames to send, and starts to stage or compress them if that pays.
   *
   * @param server what this executor's blocks share
   * @param leases acquires the lease when the first byte is read
   * @param sender stages tables of the DEVICE tier
   * @throws io.symshuffle.shuffle.output.CorruptIndexException if the index is damaged
   */
  ServedBlock(
      BlockServer server,
      MapOutput output,
      int startPartition,
      int endPartition,
      LeaseSupplier leases,
      Optional<GpuSender> sender) {
    this.server = requireNonNull(server, "server is null");
    this.output = requireNonNull(output, "output is null");
    this.leases = requireNonNull(leases, "leases is null");
    Supplier<OutputReader> data = () -> server.open(output);
    switch (output) {
      case RowOutput rows -> {
        frames = frames(rows, startPartition, endPartition);
        prepared = server.compressor().compress(frames, FrameShape.RECORDS, data, leases);
      }
      case TableOutput tables -> {
        List<TableEntry> entries = tables(tables, startPartition, endPartition);
        frames = entries.stream().map(Frame::of).toList();
        prepared =
            sender
                .flatMap(each -> each.stage(entries, data, leases))
                .or(() -> server.compressor().compress(frames, FrameShape.OPAQUE, data, leases));
      }
    }
    this.plainBytes = frames.stream().mapToLong(Frame::wireBytes).sum();
    // Spark may drop a block without releasing it.
    this.memory = prepared.map(block -> CLEANER.register(this, block::release));
  }

  private static List<Frame> frames(RowOutput output, int startPartition, int endPartition) {
    List<Frame> frames = new ArrayList<>();
    for (int number = 0; number < output.index().runs(); number++) {
      RunView run = output.index().run(number);
      if (run.tier() == Tier.HOST) {
        output.hostMemory(run.place(), run.bytes());
      }
      int end = run.firstBlock(endPartition);
      for (int block = run.firstBlock(startPartition); block < end; block++) {
        frames.add(Frame.of(run, block));
      }
    }
    return List.copyOf(frames);
  }

  private static List<TableEntry> tables(TableOutput output, int startPartition, int endPartition) {
    List<TableEntry> tables = new ArrayList<>();
    int end = output.index().first(endPartition);
    for (int table = output.index().first(startPartition); table < end; table++) {
      tables.add(output.index().table(table));
    }
    return List.copyOf(tables);
  }

  @Override
  public long size() {
    return content().map(PreparedBlock.Content::bytes).orElse(plainBytes);
  }

  @Override
  public ByteBuffer nioByteBuffer() throws IOException {
    long bytes = size();
    if (bytes > Integer.MAX_VALUE - 8) {
      throw new IOException("block of %d bytes does not fit into one buffer".formatted(bytes));
    }
    try (InputStream in = createInputStream()) {
      return ByteBuffer.wrap(in.readNBytes((int) bytes));
    }
  }

  @Override
  public InputStream createInputStream() throws IOException {
    hold();
    return new FrameInputStream(open());
  }

  @Override
  public synchronized ManagedBuffer retain() {
    references++;
    return this;
  }

  @Override
  public synchronized ManagedBuffer release() {
    if (--references == 0) {
      memory.ifPresent(Cleaner.Cleanable::clean);
      if (lease != null) {
        lease.close();
        lease = null;
      }
    }
    return this;
  }

  @Override
  public Object convertToNetty() throws IOException {
    hold();
    return new FrameRegion(open(), size(), server.stats());
  }

  @Override
  public Object convertToNettyForSsl() throws IOException {
    hold();
    return new FrameInputStream(open());
  }

  /** What is sent; empty if that are the frames as they are stored. Always the same. */
  private Optional<PreparedBlock.Content> content() {
    if (prepared.isEmpty()) {
      return Optional.empty();
    }
    long start = System.nanoTime();
    Optional<PreparedBlock.Content> content =
        prepared.get().await(TransferCompressor.MAX_WAIT_MILLIS);
    server.stats().spentSince(TransferStep.SEND_WAIT, start);
    return content;
  }

  private Pieces open() {
    return content()
        .map(content -> content.pieces().get())
        .orElseGet(() -> new FrameReader(frames, server.open(output)));
  }

  private synchronized void hold() throws IOException {
    if (references <= 0) {
      throw new IOException("the block was released before it was read");
    }
    if (lease == null) {
      lease = leases.acquire();
    }
  }
}
