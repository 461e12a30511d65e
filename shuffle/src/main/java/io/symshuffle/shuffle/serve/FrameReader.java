// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Reads the bytes of a list of frames, piece by piece. Not thread-safe. */
final class FrameReader implements Pieces {
  /** Maximum size of a piece of data; a multiple of 8, the alignment of data. */
  private static final long MAX_PIECE_BYTES = 1 << 20;

  private final List<Frame> frames;
  private final OutputReader data;
  private int frame = -1;
  private long done;
  private ByteBuffer piece = ByteBuffer.allocate(0);

  /**
   * Starts before the first frame.
   *
   * @param data reads their data; this reader takes ownership
   */
  FrameReader(List<Frame> frames, OutputReader data) {
    this.frames = requireNonNull(frames, "frames is null");
    this.data = requireNonNull(data, "data is null");
  }

  @Override
  public ByteBuffer piece() throws IOException {
    while (!piece.hasRemaining()) {
      if (frame < 0 || done == frames.get(frame).bytes()) {
        if (frame + 1 == frames.size()) {
          return piece;
        }
        frame++;
        done = 0;
        piece = frames.get(frame).head().apply(frames.size() - 1 - frame);
      } else {
        Frame current = frames.get(frame);
        int count = (int) Math.min(MAX_PIECE_BYTES, current.bytes() - done);
        piece = data.read(current.tier(), current.place() + done, count);
        done += piece.remaining();
      }
    }
    return piece;
  }

  @Override
  public void close() {
    data.close();
  }
}
