// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.apache.spark.network.util.AbstractFileRegion;

/**
 * A file region that Netty sends: the bytes of a block, directly from the heap's memory if they are
 * not compressed.
 */
final class FrameRegion extends AbstractFileRegion {
  private final Pieces pieces;
  private final long bytes;
  private final ShuffleStats stats;
  private long sent;

  FrameRegion(Pieces pieces, long bytes, ShuffleStats stats) {
    this.pieces = pieces;
    this.bytes = bytes;
    this.stats = stats;
  }

  @Override
  public long position() {
    return 0;
  }

  @Override
  public long transferred() {
    return sent;
  }

  @Override
  public long count() {
    return bytes;
  }

  @Override
  public long transferTo(WritableByteChannel target, long position) throws IOException {
    if (position != sent) {
      throw new IOException(
          "byte %d was requested after %d bytes were sent".formatted(position, sent));
    }
    long before = sent;
    for (ByteBuffer piece = pieces.piece(); piece.hasRemaining(); piece = pieces.piece()) {
      int written = target.write(piece);
      sent += written;
      if (piece.hasRemaining()) {
        break;
      }
    }
    stats.add(ShuffleCounter.BYTES_SERVED, sent - before);
    return sent - before;
  }

  @Override
  protected void deallocate() {
    pieces.close();
  }
}
