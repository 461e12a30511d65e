// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.shuffle.compress.FrameShape;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.RowOutput;
import io.symshuffle.shuffle.output.RunView;
import io.symshuffle.shuffle.output.TableOutput;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.spark.network.buffer.ManagedBuffer;

/**
 * The blocks of a range of partitions of one map output, as sent through Spark's block transfer:
 * frames, or chunks of compressed ones. Compression starts when the block is resolved, on other
 * threads; {@link #size()} waits for it.
 *
 * <p>The block holds a lease from the first read until it is released, but not before: Spark
 * resolves many blocks for one request, and drops them without releasing them if one of them is not
 * found or the connection is closed.
 *
 * <p>Thread-safe; its streams and regions are not.
 */
public final class ServedBlock extends ManagedBuffer {
  private static final Cleaner CLEANER = Cleaner.create();

  private final MapOutput output;
  private final Optional<DeviceTier> device;
  private final UnaryOperator<OutputReader> dataWrapper;
  private final LeaseSupplier leases;
  private final ShuffleStats stats;
  private final List<Frame> frames;
  private final long plainBytes;
  private final Optional<CompressedBlock> compressed;
  private final Optional<Cleaner.Cleanable> memory;

  @GuardedBy("this")
  private int references = 1;

  @GuardedBy("this")
  private Lease lease;

  /**
   * Lists the frames to send, and starts to compress them if that pays.
   *
   * @param device this executor's part of the device heap, if it has one
   * @param dataWrapper wraps the reader of the data
   * @param leases acquires the lease when the first byte is read
   * @param compressor compresses blocks for other hosts
   * @throws io.symshuffle.shuffle.output.CorruptIndexException if the index is damaged
   */
  public ServedBlock(
      MapOutput output,
      Optional<DeviceTier> device,
      UnaryOperator<OutputReader> dataWrapper,
      int startPartition,
      int endPartition,
      LeaseSupplier leases,
      TransferCompressor compressor,
      ShuffleStats stats) {
    this.output = requireNonNull(output, "output is null");
    this.device = requireNonNull(device, "device is null");
    this.dataWrapper = requireNonNull(dataWrapper, "dataWrapper is null");
    this.leases = requireNonNull(leases, "leases is null");
    requireNonNull(compressor, "compressor is null");
    this.stats = requireNonNull(stats, "stats is null");
    this.frames =
        switch (output) {
          case RowOutput rows -> frames(rows, startPartition, endPartition);
          case TableOutput tables -> frames(tables, startPartition, endPartition);
        };
    this.plainBytes = frames.stream().mapToLong(Frame::wireBytes).sum();
    this.compressed =
        compressor.compress(
            frames,
            output instanceof RowOutput ? FrameShape.RECORDS : FrameShape.OPAQUE,
            () -> open(output, device, dataWrapper),
            leases);
    // Spark may drop a block without releasing it.
    this.memory = compressed.map(block -> CLEANER.register(this, block::release));
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

  private static List<Frame> frames(TableOutput output, int startPartition, int endPartition) {
    List<Frame> frames = new ArrayList<>();
    int end = output.index().first(endPartition);
    for (int table = output.index().first(startPartition); table < end; table++) {
      frames.add(Frame.of(output.index().table(table)));
    }
    return List.copyOf(frames);
  }

  @Override
  public long size() {
    return chunks()
        .map(chunks -> chunks.stream().mapToLong(chunk -> chunk.length).sum())
        .orElse(plainBytes);
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
    return new FrameRegion(open(), size(), stats);
  }

  @Override
  public Object convertToNettyForSsl() throws IOException {
    hold();
    return new FrameInputStream(open());
  }

  /** The compressed block; empty if it is sent uncompressed. Always the same. */
  private Optional<List<byte[]>> chunks() {
    return compressed.flatMap(block -> block.await(TransferCompressor.MAX_WAIT_MILLIS));
  }

  private Pieces open() {
    return chunks()
        .map(CompressedBlock::pieces)
        .orElseGet(() -> new FrameReader(frames, open(output, device, dataWrapper)));
  }

  private static OutputReader open(
      MapOutput output, Optional<DeviceTier> device, UnaryOperator<OutputReader> dataWrapper) {
    return dataWrapper.apply(new TieredOutputReader(output, device));
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
