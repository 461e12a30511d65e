// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.ShuffleStats;
import io.symshuffle.shuffle.directory.Lease;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.network.buffer.ManagedBuffer;

/** Part of a map output, as Spark's block transfer sends it; keeps a lease until it is released. */
abstract class LeasedBuffer extends ManagedBuffer {
  private final Lease lease;
  private final ShuffleStats stats;
  private final AtomicInteger references = new AtomicInteger(1);

  LeasedBuffer(Lease lease, ShuffleStats stats) {
    this.lease = requireNonNull(lease, "lease is null");
    this.stats = requireNonNull(stats, "stats is null");
  }

  /** Starts at the first byte. */
  abstract PieceReader open();

  @Override
  public final ByteBuffer nioByteBuffer() throws IOException {
    long bytes = size();
    if (bytes > Integer.MAX_VALUE - 8) {
      throw new IOException("block of %d bytes does not fit one buffer".formatted(bytes));
    }
    try (InputStream in = createInputStream()) {
      return ByteBuffer.wrap(in.readNBytes((int) bytes));
    }
  }

  @Override
  public final InputStream createInputStream() {
    return new FrameInputStream(open());
  }

  @Override
  public final ManagedBuffer retain() {
    references.incrementAndGet();
    return this;
  }

  @Override
  public final ManagedBuffer release() {
    if (references.decrementAndGet() == 0) {
      lease.close();
    }
    return this;
  }

  @Override
  public final Object convertToNetty() {
    return new FrameRegion(open(), size(), stats);
  }

  @Override
  public final Object convertToNettyForSsl() {
    return createInputStream();
  }
}
