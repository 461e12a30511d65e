// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.ShuffleStats;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.RunView;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.network.buffer.ManagedBuffer;

/**
 * The blocks of a range of partitions of one map output, as Spark's block transfer sends them;
 * keeps a lease until it is released.
 */
public final class ServedBlock extends ManagedBuffer {
  private final List<Frame> frames;
  private final MapOutput output;
  private final Lease lease;
  private final ShuffleStats stats;
  private final long bytes;
  private final AtomicInteger references = new AtomicInteger(1);

  /**
   * Plans the frames.
   *
   * @param lease closed when the buffer is released for the last time
   */
  public ServedBlock(
      MapOutput output, int startPartition, int endPartition, Lease lease, ShuffleStats stats) {
    this.output = requireNonNull(output, "output is null");
    this.lease = requireNonNull(lease, "lease is null");
    this.stats = requireNonNull(stats, "stats is null");
    this.frames = frames(output, startPartition, endPartition);
    this.bytes = frames.stream().mapToLong(Frame::wireBytes).sum();
  }

  private static List<Frame> frames(MapOutput output, int startPartition, int endPartition) {
    List<Frame> frames = new ArrayList<>();
    for (int r = 0; r < output.index().runs(); r++) {
      RunView run = output.index().run(r);
      int end = run.firstBlock(endPartition);
      for (int block = run.firstBlock(startPartition); block < end; block++) {
        long start = run.start(block);
        long size = run.size(block);
        Optional<MemorySegment> memory =
            run.tier() == Tier.HOST
                ? Optional.of(output.hostRun(run).asSlice(start, size))
                : Optional.empty();
        frames.add(
            new Frame(
                run.partition(block), size, run.checksum(block), memory, run.place() + start));
      }
    }
    return List.copyOf(frames);
  }

  @Override
  public long size() {
    return bytes;
  }

  @Override
  public ByteBuffer nioByteBuffer() throws IOException {
    if (bytes > Integer.MAX_VALUE - 8) {
      throw new IOException("block of %d bytes does not fit one buffer".formatted(bytes));
    }
    try (InputStream in = createInputStream()) {
      return ByteBuffer.wrap(in.readNBytes((int) bytes));
    }
  }

  @Override
  public InputStream createInputStream() {
    return new FrameInputStream(new FrameReader(frames, output.file()));
  }

  @Override
  public ManagedBuffer retain() {
    references.incrementAndGet();
    return this;
  }

  @Override
  public ManagedBuffer release() {
    if (references.decrementAndGet() == 0) {
      lease.close();
    }
    return this;
  }

  @Override
  public Object convertToNetty() {
    return new FrameRegion(new FrameReader(frames, output.file()), bytes, stats);
  }

  @Override
  public Object convertToNettyForSsl() {
    return createInputStream();
  }
}
