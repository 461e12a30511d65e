// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;

/** An input stream over the bytes of a block. */
final class FrameInputStream extends InputStream {
  private final Pieces pieces;

  FrameInputStream(Pieces pieces) {
    this.pieces = pieces;
  }

  @Override
  public int read() throws IOException {
    ByteBuffer piece = pieces.piece();
    return piece.hasRemaining() ? piece.get() & 0xFF : -1;
  }

  @Override
  public int read(byte[] to, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, to.length);
    if (length == 0) {
      return 0;
    }
    ByteBuffer piece = pieces.piece();
    if (!piece.hasRemaining()) {
      return -1;
    }
    int count = Math.min(length, piece.remaining());
    piece.get(to, offset, count);
    return count;
  }

  /** What the current piece has left, because Spark allocates this much for each read with TLS. */
  @Override
  public int available() throws IOException {
    return pieces.piece().remaining();
  }

  @Override
  public void close() {
    pieces.close();
  }
}
