// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.shuffle.core.ShuffleStats;
import io.symshuffle.shuffle.directory.Lease;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;

/**
 * Part of a map output, as Spark's block transfer sends it. It holds a lease from the first byte
 * that somebody wants until it is released, and none before: Spark plans many blocks for one
 * request, and forgets them without a release when one of them cannot be found or the connection
 * ends at that moment.
 *
 * <p>Thread-safe, its streams and regions are not.
 */
abstract class LeasedBuffer extends ManagedBuffer {
  private final Claim claim;
  private final ShuffleStats stats;

  @GuardedBy("this")
  private int references = 1;

  @GuardedBy("this")
  private Lease lease;

  LeasedBuffer(Claim claim, ShuffleStats stats) {
    this.claim = requireNonNull(claim, "claim is null");
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
  public final InputStream createInputStream() throws IOException {
    hold();
    return new FrameInputStream(open());
  }

  @Override
  public final synchronized ManagedBuffer retain() {
    references++;
    return this;
  }

  @Override
  public final synchronized ManagedBuffer release() {
    if (--references == 0 && lease != null) {
      lease.close();
      lease = null;
    }
    return this;
  }

  @Override
  public final Object convertToNetty() throws IOException {
    hold();
    return new FrameRegion(open(), size(), stats);
  }

  @Override
  public final Object convertToNettyForSsl() throws IOException {
    return createInputStream();
  }

  private synchronized void hold() throws IOException {
    if (references <= 0) {
      throw new IOException("the block was released before it was read");
    }
    if (lease == null) {
      lease = claim.take();
    }
  }
}
